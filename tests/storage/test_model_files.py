"""Model files: several writers at once, zip bombs, files of killed processes, arrays of wrong shapes."""

import io
import os
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_iris

import softclust as sc
from crafting import closed, opened
from softclust.storage import archive, replacement

X = load_iris().data


def parts_of(model, path):
    sc.save(model, path)
    return opened(path.read_bytes())


def refused(header, arrays, path):
    path.write_bytes(closed(header, arrays))
    with pytest.raises(sc.ModelFileError) as error:
        sc.load(path)
    return str(error.value)


def key_of(arrays, like):
    return next(key for key, array in arrays.items() if array.shape == like.shape and (array == like).all())


@pytest.mark.parametrize("part", ["centres", "origin", "scale", "features"])
def test_a_model_that_would_crash_a_pass_is_refused(part, tmp_path):
    model = sc.FuzzyCMeans(3, random_state=0).fit(X)
    header, arrays = parts_of(model, tmp_path / "m")
    fitted = model._fitted
    if part == "features":
        header["state"]["n_features_in_"] = 20_000
        assert "20000" in refused(header, arrays, tmp_path / "m")
        return
    whole = {"centres": fitted.state.theta[0], "origin": fitted.units.origin, "scale": fitted.state.scale}[
        part
    ]
    arrays[key_of(arrays, whole)] = whole[..., :1]
    assert part in refused(header, arrays, tmp_path / "m")


def test_metrics_of_another_shape_are_refused(tmp_path):
    model = sc.FuzzyCMeans(3, geometry="ellipsoids", random_state=0).fit(X)
    header, arrays = parts_of(model, tmp_path / "m")
    metrics = model._fitted.state.theta[1]
    arrays[key_of(arrays, metrics)] = metrics[:, :1, :1]
    assert "theta" in refused(header, arrays, tmp_path / "m")


def test_a_method_is_not_replaced_by_a_file(tmp_path):
    header, arrays = parts_of(sc.FuzzyCMeans(3, random_state=0).fit(X), tmp_path / "m")
    header["state"]["predict"] = 1
    assert "predict" in refused(header, arrays, tmp_path / "m")


def test_a_model_of_rows_of_float32_and_of_equal_rows_is_read(tmp_path):
    for rows in (X.astype(np.float32), np.ones((20, 2)), 1e200 * X, 1e-200 * X):
        for make in (sc.FuzzyCMeans, sc.PossibilisticCMeans, sc.EvidentialCMeans, sc.GaussianMixture):
            with pytest.warns() if len(rows) == 20 else _nothing():
                model = make(2, random_state=0).fit(rows)
            sc.save(model, tmp_path / "m")
            assert (sc.load(tmp_path / "m").predict_proba(rows) == model.memberships_).all()


class _nothing:
    __enter__ = __exit__ = lambda *_: None


# ---------------------------------------------------------------------- writers
def test_threads_write_and_read_one_path(tmp_path):
    """Each save ends well, each load finds a whole model, and nothing is left beside it."""
    path, model = tmp_path / "m", sc.FuzzyCMeans(3, random_state=0).fit(X)
    sc.save(model, path)
    with ThreadPoolExecutor(8) as pool:
        writes = [pool.submit(sc.save, model, path) for _ in range(40)]
        reads = [pool.submit(sc.load, path) for _ in range(40)]
        for work in writes + reads:
            work.result()
    assert [found.name for found in tmp_path.iterdir()] == ["m"]


def test_a_failed_write_leaves_nothing(tmp_path):
    (tmp_path / "m").write_text("old")
    with pytest.raises(ZeroDivisionError), replacement.replacement(tmp_path / "m") as new:
        new.write_text("half")
        raise ZeroDivisionError
    assert [found.read_text() for found in tmp_path.iterdir()] == ["old"]


def test_files_of_killed_processes_are_removed(tmp_path):
    old, young, other = (tmp_path / f".softclust-{mark * 24}.part" for mark in "abz")
    for path in (old, young, other):
        path.write_text("half")
    for path in (old, other):
        os.utime(path, (time.time() - 7200,) * 2)
    sc.save(sc.FuzzyCMeans(3), tmp_path / "m")
    assert sorted(found.name for found in tmp_path.iterdir()) == sorted(["m", young.name, other.name])


# ---------------------------------------------------------------------- zip bombs
def bomb(kind, path):
    """Write a file of some hundred kilobytes that unpacks to 192 MB of arrays, or of checksum."""
    members = dict.fromkeys(("header.json", "arrays.npz", "checksum"), b"")
    if kind == "arrays":
        body = io.BytesIO()
        with (
            zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as inner,
            inner.open("a0.npy", "w", force_zip64=True) as file,
        ):
            form = {"descr": "<f8", "fortran_order": False, "shape": (3 * 2**23,)}
            np.lib.format.write_array_header_1_0(file, form)
            for _ in range(12):
                file.write(bytes(2**24))
        members["arrays.npz"] = body.getvalue()
        members["checksum"] = archive._checksum(b"", body.getvalue())
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            if kind == "checksum" and name == kind:
                info = zipfile.ZipInfo(name)
                info.compress_type = zipfile.ZIP_DEFLATED
                with file.open(info, "w", force_zip64=True) as member:
                    for _ in range(12):
                        member.write(bytes(2**24))
            else:
                file.writestr(name, data)
    assert path.stat().st_size < 1e6


MEASURED = """
import resource, sys, softclust as sc
sc.save(sc.FuzzyCMeans(2), sys.argv[1] + "x"); sc.load(sys.argv[1] + "x")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    sc.load(sys.argv[1])
except sc.ModelFileError as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("kind", ["arrays", "checksum"])
def test_a_zip_bomb_is_refused_before_it_is_read(kind, tmp_path):
    bomb(kind, tmp_path / "m")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", MEASURED, str(tmp_path / "m")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100_000  # kilobytes


def test_an_array_that_tells_another_size_is_refused(tmp_path):
    sc.save(sc.FuzzyCMeans(3, random_state=0).fit(X), tmp_path / "m")
    raw = (tmp_path / "m").read_bytes()
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as inner, inner.open("a0.npy", "w") as file:
        form = {"descr": "<f8", "fortran_order": False, "shape": (2**40,)}
        np.lib.format.write_array_header_1_0(file, form)
    with zipfile.ZipFile(io.BytesIO(raw)) as old:
        text = old.read("header.json")
    with zipfile.ZipFile(tmp_path / "m", "w") as file:
        file.writestr("header.json", text)
        file.writestr("arrays.npz", body.getvalue())
        file.writestr("checksum", archive._checksum(text, body.getvalue()))
    with pytest.raises(sc.ModelFileError, match=r"a0\.npy"):
        sc.load(tmp_path / "m")


def test_arrays_that_compress_too_well_are_written_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_FREE_BYTES", 2**10)
    model = sc.HardCMeans(2, init=np.array([[0.0], [1.0]]))
    model.fit(np.repeat([[0.0], [1.0]], 50_000, axis=0))
    sc.save(model, tmp_path / "m")
    assert (sc.load(tmp_path / "m").labels_ == model.labels_).all()
    assert (tmp_path / "m").stat().st_size > model.memberships_.nbytes


def test_rows_that_do_not_fit_a_pass_are_refused():
    """The block of the compiled passes looks at shapes by itself, wherever its arrays come from."""
    fitted = sc.FuzzyCMeans(3, random_state=0).fit(X)._fitted
    from softclust.kernels.passes import Block

    model, units = fitted.model, fitted.units.packed(X.dtype)

    def block(units=units, weight=None, known=None):
        return Block(X, weight, units, False, None, model.rule, model.parameters, known)

    for wrong in ({"units": units[:3]}, {"weight": np.ones(3)}, {"known": (np.array([150]),)}):
        with pytest.raises(ValueError, match=r"would fit|not among"):
            block(**wrong)
    V = fitted.state.theta[0]
    for places, scale in (
        ((V[:, :1],), np.ones(3)),
        ((V,), np.ones(1)),
        ((V, np.ones((3, 1, 1))), np.ones(3)),
    ):
        with pytest.raises(ValueError, match="would fit"):
            block().sweep(places, scale)
    out = np.empty((150, 2)), np.empty((0, 3)), np.empty(150, np.int32), np.empty(150)
    with pytest.raises(ValueError, match="would fit"):
        block().assign((V,), np.ones(3), None, *out)
