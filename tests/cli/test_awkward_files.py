"""Files as spreadsheets, instruments and pandas write them: what is read, what is said, what is refused."""

import datetime
import gzip
import io

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from calling import call
from softclust.files import prepare, read_table
from softclust.files.numbers import MISSING_WORDS

TABLE = "a,b\n1,2\n1.5,2.5\n9,8\n9.5,8.5\n"
NUMBERS = [[1, 2], [1.5, 2.5], [9, 8], [9.5, 8.5]]
SCALED = "Columns are standardised: mean 0, standard deviation 1."


def sheet(*rows, title=None):
    """Return an Excel file with these rows."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if title is not None:
        book.create_sheet(title)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def in_parquet(columns, index=None):
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pandas(pd.DataFrame(columns, index=index)), file)
    return file.getvalue()


# name: file, bytes, numbers that are clustered, notes
READ = {
    "plain": ("x.csv", TABLE, NUMBERS, []),
    "semicolons and decimal commas": ("x.csv", "a;b\n1;2\n1,5;2,5\n9;8\n9,5;8,5\n", NUMBERS, []),
    "tabs": ("x.txt", TABLE.replace(",", "\t"), NUMBERS, []),
    "tabs, decimal commas": ("x.tsv", "a\tb\n1\t2\n1,5\t2,5\n9\t8\n9,5\t8,5\n", NUMBERS, []),
    "pipes": ("x.csv", TABLE.replace(",", "|"), NUMBERS, []),
    "UTF-8 with a mark": ("x.csv", TABLE.encode("utf-8-sig"), NUMBERS, []),
    "UTF-16": ("x.csv", TABLE.replace(",", "\t").encode("utf-16"), NUMBERS, []),
    "UTF-16, the other order": ("x.csv", b"\xfe\xff" + TABLE.encode("utf-16-be"), NUMBERS, []),
    "Windows-1252": (
        "x.csv",
        TABLE.replace("b", "Größe (€)", 1).encode("cp1252"),
        NUMBERS,
        ["It is not UTF-8 and was read as Windows-1252"],
    ),
    "Excel names the delimiter": ("x.csv", "sep=;\n" + TABLE.replace(",", ";"), NUMBERS, []),
    "line ends of Windows": ("x.csv", TABLE.replace("\n", "\r\n"), NUMBERS, []),
    "line ends of old Macintoshes": ("x.csv", TABLE.replace("\n", "\r"), NUMBERS, []),
    "blank lines": ("x.csv", TABLE.replace("9,8\n", "\n9,8\n\n") + "\n\n  \n", NUMBERS, []),
    "empty cells at the end": (
        "x.csv",
        "a,b,,\n1,2,,\n1.5,2.5,,\n9,8,,\n9.5,8.5,,\n,,,\n",
        NUMBERS,
        ["2 columns have neither a name nor a value."],
    ),
    "one delimiter too many": ("x.csv", "a,b\n1,2,\n1.5,2.5,\n9,8,\n9.5,8.5,\n", NUMBERS, []),
    "quotes": ("x.csv", '"a","b, of all"\n"1","2"\n"1.5","2.5"\n"9","8"\n"9.5","8.5"\n', NUMBERS, []),
    "spaces": ("x.csv", " a , b\n 1 , 2\n1.5 ,2.5\n9, 8 \n 9.5,8.5\n", NUMBERS, []),
    "thousands": (
        "x.csv",
        'a,b\n"1,000",2\n"1,500",2.5\n"9,000.0",8\n9500,8.5\n',
        [[1000, 2], [1500, 2.5], [9000, 8], [9500, 8.5]],
        [],
    ),
    "thousands with points": (
        "x.csv",
        "a;b\n1.000;2\n1.500;2,5\n9.000;8\n9.500;8,5\n",
        [[1000, 2], [1500, 2.5], [9000, 8], [9500, 8.5]],
        [],
    ),
    "percent, currency, brackets": (
        "x.csv",
        "a;b\n10 %;$2\n15 %;2.5 \u20ac\n90%;(8)\n95%;-8.5 EUR\n",
        [[0.1, 2], [0.15, 2.5], [0.9, -8], [0.95, -8.5]],
        [],
    ),
    "no header": (
        "x.csv",
        "1,2\n1.5,2.5\n9,8\n9.5,8.5\n",
        NUMBERS,
        ["It has no header: line 1 holds numbers"],
    ),
    "columns that pandas counted": (
        "x.csv",
        ",0,1,2\n0,1,2,Ann\n1,1.5,2.5,Bob\n2,9,8,Cem\n3,9.5,8.5,Dan\n",
        NUMBERS,
        ["The numbers on line 1 are taken for names of columns.", "'column 1' (an identifier)"],
    ),
    "a title above": (
        "x.csv",
        "Measured in May\n\n" + TABLE,
        NUMBERS,
        ["The lines above line 3 are no part of the table."],
    ),
    "text and dates": (
        "x.csv",
        "a,who,day,b\n1,Ann,31.12.2020,2\n1.5,Bob,1.1.2021,2.5\n9,Cem,2.1.2021,8\n9.5,Dan,3.1.2021,8.5\n",
        NUMBERS,
        ["Columns left out: 'who' (text); 'day' (dates)."],
    ),
    "an index of pandas": (
        "x.csv",
        ",a,b\n3,1,2\n0,1.5,2.5\n1,9,8\n2,9.5,8.5\n",
        NUMBERS,
        ["'column 1' (an identifier). --keep 'column 1' would use it."],
    ),
    "an identifier and a constant": (
        "x.csv",
        "patient id,unit,a,b\n17,3,1,2\n4,3,1.5,2.5\n90,3,9,8\n33,3,9.5,8.5\n",
        NUMBERS,
        ["'patient id' (an identifier); 'unit' (one value only). --keep 'patient id' would use it."],
    ),
    "missing cells": (
        "x.csv",
        TABLE + "n/a,2\n3,?\n#N/A,NULL\n-,.\n",
        NUMBERS,
        ["4 of 8 rows have a missing cell in 'a', 'b' and are left out: lines 6, 7, 8 and 9."],
    ),
    "a column that is mostly empty": (
        "x.csv",
        "a,b,c\n1,2,\n1.5,2.5,\n9,8,\n9.5,8.5,7\n",
        NUMBERS,
        ["'c' (mostly empty)"],
    ),
    "cells of several lines": (
        "x.csv",
        'a,b,remark\n1,2,"one\ntwo"\n1.5,2.5,x\n9,8,y\n,8.5,z\n9.5,8.5,z\n',
        NUMBERS,
        [
            "'remark' (text)",
            "1 of 5 rows has a missing cell in 'a' and is left out: line 6. Its memberships",
        ],
    ),
    "gzip": ("x.csv.gz", gzip.compress(TABLE.encode()), NUMBERS, []),
    "Excel": (
        "x.xlsx",
        sheet(
            ["day", "a", "b"],
            *([datetime.date(2020, 1, i + 1), *row] for i, row in enumerate(NUMBERS)),
            title="two",
        ),
        NUMBERS,
        ["Sheet 'Sheet' is read; --sheet names another: 'two'.", "'day' (dates)"],
    ),
    "Excel with a title, text and holes": (
        "x.xlsx",
        sheet(["Report"], [], ["a", "b", None], *NUMBERS[:2], [9, "8"], ["#N/A", 1], [9.5, 8.5], [], []),
        NUMBERS,
        [
            "The rows above line 3 are no part of the table.",
            "1 of 5 rows has a missing cell in 'a' and is left out: line 7.",
        ],
    ),
    "Parquet with an index": (
        "x.parquet",
        in_parquet(dict(zip("ab", np.array(NUMBERS).T, strict=True)), index=[5, 3, 8, 1]),
        NUMBERS,
        ["'__index_level_0__' (an identifier)"],
    ),
}


def written(folder, name, raw):
    path = folder / name
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", READ)
def test_it_is_read(case, folder, capsys):
    name, raw, numbers, notes = READ[case]
    written(folder, name, raw)
    assert call("fit", name, "--clusters", 2, "--out", "m.csv") == 0
    said = capsys.readouterr()
    assert said.out == ""
    for sentence in notes:
        assert f"{sentence}" in said.err
    assert SCALED in said.err
    assert said.err.count("note: ") == len(notes) + 1
    np.testing.assert_allclose(prepare(read_table(name)).X, numbers, rtol=1e-15)
    told = pd.read_csv("m.csv")
    assert len(told) == len(read_table(name))  # rows keep their places
    known = told[told["cluster"].notna()]
    assert len(known) == len(numbers)
    np.testing.assert_allclose(known[["membership_0", "membership_1"]].sum(axis=1), 1)
    assert told[told["cluster"].isna()].filter(like="membership").isna().all(axis=None)
    assert sorted(path.name for path in folder.iterdir()) == sorted([name, "m.csv"])


REFUSED = {
    "empty": ("x.csv", "", "x.csv is empty."),
    "blank": ("x.csv", "\n \n\n", "x.csv is empty."),
    "a header alone": ("x.csv", "a,b\n", "x.csv has a header but no rows."),
    "two columns of one name": (
        "x.csv",
        "a,a\n1,2\n",
        "x.csv has two columns called 'a'; give each a name of its own.",
    ),
    "rows of unequal length": (
        "x.csv",
        "a,b\n1,2\n3\n\n4,5,6\n",
        "x.csv cannot be read as csv: the header has 2 cells, but line 3 has 1, line 5 has 3; a row needs "
        "a cell for each column.",
    ),
    "cells that are no numbers": (
        "x.csv",
        'a,my b\n1,2\n\n2,"x\ny"\n3,4\n5,6\nfour,7\n8,9\n',
        "x.csv: 2 cells are no numbers (line 4, 'my b': 'x\\ny'; line 8, 'a': 'four'). Correct the file, "
        "leave a column out with --drop 'my b'.",
    ),
    "infinite": ("x.csv", TABLE + "inf,3\n", "x.csv: 1 cell is no number (line 6, 'a': 'inf')."),
    "two decimal marks in a column": (
        "x.csv",
        "a;b\n1,5;1\n2,5;2\n3.25;3\n",
        "1 cell is no number (line 4, 'a': '3.25').",
    ),
    "binary": ("x.csv", bytes(range(256)), "x.csv cannot be read as csv: line 1 holds binary data"),
    "only text": (
        "x.csv",
        "who\nAnn\nBob\n",
        "x.csv has no column of numbers to cluster. Columns left out: 'who' (text).",
    ),
    "a hole in every row": (
        "x.csv",
        "a,my b\n1,\n2,\n,3\n,4\n",
        "Every row of x.csv has a missing cell, most of them in 'a'. Leave that column out with --drop a.",
    ),
    "no gzip": ("x.csv.gz", TABLE, "x.csv.gz cannot be unpacked"),
    "a bomb of gzip": ("x.csv.gz", gzip.compress(b"0" * 2**27), "x.csv.gz unpacks to 65 MB or more"),
    "no Excel": (
        "x.xlsx",
        TABLE,
        "x.xlsx is no .xlsx file; save it from a spreadsheet as .xlsx or as .csv.",
    ),
    "an empty sheet": ("x.xlsx", sheet(), "sheet 'Sheet' of x.xlsx is empty."),
    "old Excel": ("x.xls", b"\xd0\xcf", "Save it from Excel as .xlsx or .csv."),
    "no Parquet": ("x.parquet", TABLE, "x.parquet cannot be read as parquet"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_in_one_sentence(case, folder, capsys):
    name, raw, sentence = REFUSED[case]
    written(folder, name, raw)
    assert call("fit", name, "--clusters", 2, "--out", "m.csv", "--model", "m.zip") == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.startswith("softclust: ") and said.err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == [name]


def test_at_least_25_kinds_of_files():
    assert len(READ) + len(REFUSED) >= 25


def test_an_excel_file_of_many_cells_is_bounded(folder, capsys, monkeypatch):
    monkeypatch.setattr("softclust.files.excel._MOST_CELLS", 100)
    written(folder, "x.xlsx", sheet(["a"], *([None] * 60 + [1] for _ in range(2))))
    assert call("fit", "x.xlsx", "--clusters", 2) == 2
    assert "x.xlsx has more than 100 cells" in capsys.readouterr().err
    monkeypatch.setattr("softclust.files.bounds.MOST_BYTES", 1000)
    assert call("fit", "x.xlsx", "--clusters", 2) == 2
    assert "x.xlsx unpacks to" in capsys.readouterr().err


def test_a_sheet_is_chosen_by_name(folder, capsys):
    book = openpyxl.Workbook()
    book.active.append(["nothing"])
    other = book.create_sheet("my data")
    for row in (["a", "b"], *NUMBERS):
        other.append(row)
    book.save("x.xlsx")
    assert call("fit", "x.xlsx", "--sheet", "my data", "--clusters", 2, "--json") == 0
    assert call("fit", "x.xlsx", "--sheet", "data", "--clusters", 2) == 2
    assert "x.xlsx has no sheet 'data'; it has 'Sheet', 'my data'." in capsys.readouterr().err
    written(folder, "x.csv", TABLE)
    assert call("fit", "x.csv", "--sheet", "data", "--clusters", 2) == 2
    assert "has no sheets" in capsys.readouterr().err


@pytest.mark.parametrize("word", sorted(MISSING_WORDS))
def test_words_for_nothing(word, folder):
    for text in (word, word.upper(), f" {word} "):
        written(folder, "x.csv", f'a,b\n1,2\n"{text}",4\n5,6\n')
        assert prepare(read_table("x.csv")).rows.tolist() == [0, 2]


def test_a_word_of_ones_own_for_nothing(folder, capsys):
    written(folder, "x.csv", TABLE + "below,3\n")
    assert call("fit", "x.csv", "--clusters", 2, "--json") == 2
    assert "--missing below" in capsys.readouterr().err
    assert call("fit", "x.csv", "--clusters", 2, "--missing", "below", "--json") == 0


def test_a_last_row_of_totals_is_noted(folder):
    lines = [f"2024-01-{day:02d};{day},5;{30 - day}" for day in range(1, 25)]
    total = "Summe:;312,0;420"
    for ending, noted in (([total], True), ([], False), ([total, "2024-01-25;3,0;4"], False)):
        (folder / "rows.csv").write_text("\n".join(["day;a;b", *lines, *ending]))
        notes = " ".join(prepare(read_table(folder / "rows.csv")).notes)
        assert ("Line 26 looks like a row of totals ('day' is 'Summe:')" in notes) == noted
    (folder / "rows.csv").write_text("\n".join(["kind;a", *(f"total;{k}.5" for k in range(9))]))
    assert "totals" not in " ".join(prepare(read_table(folder / "rows.csv")).notes)


def test_columns_are_forced_in_and_out(folder):
    written(folder, "x.csv", "id,c,a\n" + "".join(f"{i},1,{i % 7}\n" for i in range(40)))
    table = read_table("x.csv")
    assert prepare(table).names == ["a"]
    assert prepare(table, kept=["id"]).names == ["id", "a"]
    assert prepare(table, columns=["c", "id"]).names == ["c", "id"]
    assert prepare(table, left_out=["a"]).names == ["id"]  # an identifier is better than nothing
    assert {name: role.role for name, role in prepare(table, key="id").roles.items()} == {
        "id": "key", "c": "left out", "a": "feature"
    }  # fmt: skip


@pytest.mark.parametrize("values", [range(40), range(80, 0, -2), np.random.default_rng(0).permutation(40)])
def test_a_numbering_is_an_identifier_whatever_its_name(values, folder):
    rows = zip(values, np.random.default_rng(1).normal(size=40), strict=True)
    written(folder, "x.csv", "size,a\n" + "".join(f"{i},{x}\n" for i, x in rows))
    assert prepare(read_table("x.csv")).names == ["a"]


def test_measurements_are_no_identifiers(folder):
    rng = np.random.default_rng(0)
    whole = rng.choice(100_000, 40, replace=False)  # all different, but neither dense nor in order
    few = ["acid", "humid", "grid", "area", "no of rooms"]
    written(
        folder, "x.csv", ",".join(few) + "\n" + "".join(",".join([str(v)] * len(few)) + "\n" for v in whole)
    )
    assert prepare(read_table("x.csv")).names == few


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_spreads_of_huge_columns_are_numbers(tmp_path, capsys):
    """The column that tells the clusters apart comes first, though squares of its values have no float."""
    file = tmp_path / "huge.csv"
    rows = [(1 + k % 3, (1e300, 9e300)[k % 2] * (1 + k / 100)) for k in range(12)]
    file.write_text("even,apart\n" + "".join(f"{a},{b}\n" for a, b in rows))
    assert call("fit", file, "--clusters", 2, "--out", tmp_path / "out.csv") == 0
    said = capsys.readouterr().err
    assert said.index("apart ") < said.index("even ")
