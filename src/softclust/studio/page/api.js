// Talking to the server: requests, errors as three kinds, and the stream of news.

/** The server refused a request; the message is its sentence. */
export class Refused extends Error {}

/** Another tab was quicker; `state` is the newer state. */
export class Conflict extends Error {
  constructor(message, state) {
    super(message);
    this.state = state;
  }
}

/** The server does not answer, or does not know this page any more. */
export class Gone extends Error {
  constructor(message, stranger = false) {
    super(message);
    this.stranger = stranger;
  }
}

async function request(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { cache: "no-store", credentials: "same-origin", ...options });
  } catch {
    throw new Gone("The studio does not answer.");
  }
  if (answer.ok) return answer;
  let body = {};
  try {
    body = await answer.json();
  } catch {
    // An error without a body: the status has to do.
  }
  if (answer.status === 401 || answer.status === 403) throw new Gone(body.error ?? "The studio was started anew.", true);
  if (answer.status === 409 && body.state) throw new Conflict(body.error, body.state);
  if (answer.status >= 500 && !body.error) throw new Gone(`The studio answered with status ${answer.status}.`);
  throw new Refused(body.error ?? `The studio answered with status ${answer.status}.`);
}

export const getJson = async (path) => (await request(path)).json();

/** Bytes and headers of an answer. */
export async function getBytes(path) {
  const answer = await request(path);
  return { bytes: await answer.arrayBuffer(), headers: answer.headers };
}

export const post = async (path, body) =>
  (
    await request(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Softclust": "1" },
      body: JSON.stringify(body),
    })
  ).json();

const POLL = 2000; // ms between two looks at the state while there is no stream

/**
 * Listen for news. `onNews` gets the kind ("fitted", "changed", "look" or "bye") and its data;
 * "look" means that the stream is down and the state should be fetched.
 */
export function listen(onNews) {
  let source = null;
  let timer = null;
  let ended = false;
  const poll = () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      await onNews("look", {});
      if (ended) return;
      open();
      poll();
    }, POLL);
  };
  function open() {
    if (ended || (source && source.readyState !== EventSource.CLOSED)) return;
    source = new EventSource("/api/stream");
    source.onopen = () => {
      clearTimeout(timer);
      onNews("look", {}); // what happened while nobody listened
    };
    source.onerror = () => {
      source.close();
      if (!ended) poll();
    };
    for (const kind of ["fitted", "changed"])
      source.addEventListener(kind, (event) => onNews(kind, JSON.parse(event.data)));
    source.addEventListener("bye", () => onNews("bye", {}));
  }
  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source?.close();
  };
}
