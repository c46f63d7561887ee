/* The native passes as Python functions.

   native/build.py compiles each pass to `int32_t pass(int64_t *cells)` and writes table.h, which lists the
   passes for each level of processors, the best level first.  A pass has a form for each floating type of
   rows that it serves.  This file turns the arguments of
   a call into cells, in the layout of Numba's arguments, and calls the form that fits them.

   Words for arguments, one for each:
     F2, G1    arrays whose type, float32 or float64, chooses the form; G is independent of F
     D2, S1    arrays of float64, float32
     L1 I1 H1 B1 U1   arrays of int64, int32, uint16, bool, uint64; the digit is the number of dimensions
     9D1       a tuple of nine arrays
     d l b     a float, an integer, a truth value
     P         the nine floats of `Parameters`
   The word of a form has D or S in the place of F and G.  Results are d, l or b; several make a tuple. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define CELLS 512
#define ARRAYS 64
#define WORDS 40
#define PARAMETERS 9

typedef int32_t (*function)(int64_t *);
typedef struct {
    const char *name, *takes, *gives;
    function code;
} form;

#define MOST_FORMS 256
typedef struct {
    const char *name, *recipe;
    int (*runs)(void); /* whether this processor has the level */
    form forms[MOST_FORMS];
} level;

#include "table.h" /* digest, LEVELS, FORMS, levels */

typedef struct {
    int64_t cell[CELLS];
    Py_buffer array[ARRAYS];
    int cells, arrays;
    char f, g; /* what F and G stand for in this call, or 0 */
} packed;

static const char *type_name(char type) {
    switch (type) {
    case 'D': return "float64";
    case 'S': return "float32";
    case 'F': case 'G': return "float32 or float64";
    case 'L': return "int64";
    case 'I': return "int32";
    case 'H': return "uint16";
    case 'B': return "bool";
    default: return "uint64";
    }
}

static char type_of(const Py_buffer *b) {
    const char *format = b->format ? b->format : "B";
    if (format[0] && strchr("=@<", format[0])) format++; /* not aligned, as what a network brings may be */
    if (format[0] && format[1]) return 0; /* a struct, or another order of bytes */
    switch (format[0]) {
    case 'd': return 'D';
    case 'f': return 'S';
    case 'l': case 'q': return b->itemsize == 8 ? 'L' : 'I';
    case 'i': return 'I';
    case 'H': return 'H';
    case '?': return 'B';
    case 'L': case 'Q': return b->itemsize == 8 ? 'U' : 0;
    default: return 0;
    }
}

static int pack_array(PyObject *a, char type, int dimensions, packed *to) {
    if (to->arrays == ARRAYS || to->cells > CELLS - 16) {
        PyErr_SetString(PyExc_SystemError, "too many arguments for a native pass");
        return -1;
    }
    Py_buffer *b = &to->array[to->arrays];
    if (PyObject_GetBuffer(a, b, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
    to->arrays++;
    char found = type_of(b), wanted = type;
    if (type == 'F' || type == 'G') {
        char *variable = type == 'F' ? &to->f : &to->g;
        if (!*variable && (found == 'D' || found == 'S')) *variable = found;
        wanted = *variable;
    }
    if (!found || found != wanted || b->ndim != dimensions) {
        PyErr_Format(PyExc_TypeError, "a native pass takes an array of %s with %d dimensions here, not one of format %s with %d",
                     type_name(type), dimensions, b->format ? b->format : "B", b->ndim);
        return -1;
    }
    int64_t *c = to->cell + to->cells;
    *c++ = 0; /* meminfo and parent, which nothing here uses */
    *c++ = 0;
    *c++ = b->itemsize ? b->len / b->itemsize : 0;
    *c++ = b->itemsize;
    *c++ = (int64_t)(intptr_t)b->buf;
    for (int i = 0; i < b->ndim; i++) *c++ = b->shape[i];
    for (int i = 0; i < b->ndim; i++) *c++ = b->strides[i];
    to->cells = (int)(c - to->cell);
    return 0;
}

static int pack_float(PyObject *a, packed *to) {
    double x = PyFloat_AsDouble(a);
    if (x == -1.0 && PyErr_Occurred()) return -1;
    memcpy(&to->cell[to->cells++], &x, 8);
    return 0;
}

static int pack_tuple(PyObject *a, Py_ssize_t size, const char *word, packed *to) {
    if (!PyTuple_Check(a) || PyTuple_Size(a) != size) {
        PyErr_Format(PyExc_TypeError, "a native pass takes a tuple of %zd here", size);
        return -1;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PyTuple_GetItem(a, i);
        if ((word ? pack_array(item, word[0], word[1] - '0', to) : pack_float(item, to)) < 0) return -1;
    }
    return 0;
}

static int pack(PyObject *a, const char *word, packed *to) {
    switch (word[0]) {
    case 'd': return pack_float(a, to);
    case 'b': {
        int truth = PyObject_IsTrue(a);
        to->cell[to->cells++] = truth;
        return truth < 0 ? -1 : 0;
    }
    case 'l': {
        PyObject *number = PyNumber_Index(a);
        if (!number) return -1;
        long long x = PyLong_AsLongLong(number);
        Py_DECREF(number);
        to->cell[to->cells++] = x;
        return x == -1 && PyErr_Occurred() ? -1 : 0;
    }
    case 'P': return pack_tuple(a, PARAMETERS, NULL, to);
    default:
        if (word[0] >= '1' && word[0] <= '9') return pack_tuple(a, word[0] - '0', word + 1, to);
        return pack_array(a, word[0], word[1] - '0', to);
    }
}

typedef struct {
    const char *name, *gives;
    char word[WORDS][4];
    int words;
    function code[2][2]; /* by F and G: 0 is float64, 1 is float32 */
} pass;

static pass PASSES[LEVELS][FORMS];
static PyMethodDef METHODS[LEVELS][FORMS];
static int N_PASSES[LEVELS];

static PyObject *result(char kind, int64_t cell) {
    double x;
    if (kind == 'l') return PyLong_FromLongLong(cell);
    if (kind == 'b') return PyBool_FromLong(cell != 0);
    memcpy(&x, &cell, 8);
    return PyFloat_FromDouble(x);
}

static PyObject *results(const char *gives, const int64_t *cell) {
    Py_ssize_t size = (Py_ssize_t)strlen(gives);
    if (size == 0) Py_RETURN_NONE;
    if (size == 1) return result(gives[0], cell[0]);
    PyObject *all = PyTuple_New(size);
    for (Py_ssize_t i = 0; all && i < size; i++) {
        PyObject *item = result(gives[i], cell[i]);
        if (!item) Py_CLEAR(all);
        else PyTuple_SetItem(all, i, item);
    }
    return all;
}

static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    const pass *p = (const pass *)PyCapsule_GetPointer(self, NULL);
    if (!p) return NULL;
    if (n != p->words) {
        PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", p->name, p->words, n);
        return NULL;
    }
    packed to;
    to.cells = to.arrays = 0;
    to.f = to.g = 0;
    int status = 0;
    for (Py_ssize_t i = 0; i < n && !status; i++) status = pack(args[i], p->word[i], &to);
    int64_t *out = to.cell + to.cells;
    if (!status) {
        function code = p->code[to.f == 'S'][to.g == 'S'];
        if (!code) {
            PyErr_Format(PyExc_SystemError, "%s has no native form for these types", p->name);
            status = -1;
        } else {
            int32_t failed;
            Py_BEGIN_ALLOW_THREADS
            failed = code(to.cell);
            Py_END_ALLOW_THREADS
            if (failed) {
                PyErr_Format(PyExc_SystemError, "%s failed with status %d", p->name, (int)failed);
                status = -1;
            }
        }
    }
    for (int i = 0; i < to.arrays; i++) PyBuffer_Release(&to.array[i]);
    return status ? NULL : results(p->gives, out);
}

static void read_words(const char *takes, pass *p) {
    p->words = 0;
    while (*takes) {
        int length = (int)strcspn(takes, " ");
        memcpy(p->word[p->words], takes, (size_t)length);
        p->word[p->words++][length] = 0;
        takes += length + (takes[length] == ' ');
    }
}

/* The letter that stands for F or G in a form: that of the first word where both differ. */
static int single(const pass *p, const form *f, char variable) {
    pass own;
    read_words(strchr(f->takes, '|') + 1, &own);
    for (int i = 0; i < p->words; i++)
        if (p->word[i][0] == variable) return own.word[i][0] == 'S';
    return 0;
}

static pass *pass_of(const form *f, pass *passes, int *n) {
    for (int i = 0; i < *n; i++)
        if (!strcmp(passes[i].name, f->name)) return &passes[i];
    pass *p = &passes[(*n)++];
    char general[512];
    size_t length = strcspn(f->takes, "|");
    memcpy(general, f->takes, length);
    general[length] = 0;
    read_words(general, p);
    p->name = f->name;
    p->gives = f->gives;
    return p;
}

/* The place of a level by its name; -1 and an error if there is none. */
static int level_of(PyObject *name) {
    for (int k = 0; k < LEVELS; k++) {
        PyObject *mine = PyUnicode_FromString(levels[k].name);
        int same = mine ? PyUnicode_Compare(name, mine) : -1;
        Py_XDECREF(mine);
        if (PyErr_Occurred()) return -1;
        if (!same) return k;
    }
    PyErr_Format(PyExc_ValueError, "there is no level %R", name);
    return -1;
}

static PyObject *passes(PyObject *self, PyObject *name) {
    int k = level_of(name);
    PyObject *all = k < 0 ? NULL : PyDict_New();
    for (int i = 0; all && i < N_PASSES[k]; i++) {
        METHODS[k][i].ml_name = PASSES[k][i].name;
        METHODS[k][i].ml_meth = (PyCFunction)(void (*)(void))call;
        METHODS[k][i].ml_flags = METH_FASTCALL;
        PyObject *capsule = PyCapsule_New(&PASSES[k][i], NULL, NULL);
        PyObject *callable = capsule ? PyCFunction_NewEx(&METHODS[k][i], capsule, NULL) : NULL;
        Py_XDECREF(capsule);
        if (!callable || PyDict_SetItemString(all, PASSES[k][i].name, callable) < 0) Py_CLEAR(all);
        Py_XDECREF(callable);
    }
    return all;
}

static PyObject *list_forms(PyObject *self, PyObject *name) {
    int k = level_of(name);
    PyObject *all = k < 0 ? NULL : PyList_New(0);
    for (int i = 0; all && i < FORMS; i++) {
        const form *f = &levels[k].forms[i];
        PyObject *item = Py_BuildValue("(sss)", f->name, f->takes, f->gives);
        if (!item || PyList_Append(all, item) < 0) Py_CLEAR(all);
        Py_XDECREF(item);
    }
    return all;
}

static PyObject *list_levels(PyObject *self, PyObject *none) {
    PyObject *all = PyList_New(0);
    for (int k = 0; all && k < LEVELS; k++) {
        PyObject *item = Py_BuildValue("(sN)", levels[k].name, PyBool_FromLong(levels[k].runs()));
        if (!item || PyList_Append(all, item) < 0) Py_CLEAR(all);
        Py_XDECREF(item);
    }
    return all;
}

static PyMethodDef functions[] = {
    {"levels", list_levels, METH_NOARGS, "(name, whether this processor has it) of each level, the best first."},
    {"passes", passes, METH_O, "The passes of a level by name."},
    {"forms", list_forms, METH_O, "(name, words | words of this form, results) of every form of a level."},
    {0},
};
static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_native", "Passes that were compiled ahead of time.", -1, functions};

PyMODINIT_FUNC PyInit__native(void) {
    for (int k = 0; k < LEVELS && !N_PASSES[k]; k++)
        for (int i = 0; i < FORMS; i++) {
            const form *f = &levels[k].forms[i];
            pass *p = pass_of(f, PASSES[k], &N_PASSES[k]);
            p->code[single(p, f, 'F')][single(p, f, 'G')] = f->code;
        }
    PyObject *m = PyModule_Create(&module);
    if (m && PyModule_AddStringConstant(m, "digest", digest) < 0) Py_CLEAR(m);
    return m;
}
