import io

from inspector.cli.output.table import Cell, Column, table_lines
from inspector.cli.output.terminal import Terminal
from inspector.cli.output.visible import width

COLUMNS = (
    Column(title="TIME"),
    Column(title="NAME", shrinks_to=8),
    Column(title="COST", right=True, leaves=1),
    Column(title="ERROR", shrinks_to=6),
)


def lines(*rows, columns=COLUMNS, room=None, colour=False, unicode=True):
    terminal = Terminal(io.StringIO(), width=room, colour=colour, unicode=unicode)
    return list(table_lines(columns, [[Cell(text) for text in row] for row in rows], terminal))


def test_a_pipe_gets_whole_cells_in_aligned_columns():
    assert lines(("12:00", "日本語", "$1", "no answer"), ("12:01", "chat", "$12.50", "")) == [
        "TIME   NAME      COST  ERROR",
        "12:00  日本語      $1  no answer",
        "12:01  chat    $12.50",
    ]


def test_a_narrow_terminal_cuts_the_widest_columns_first():
    assert lines(("12:00", "execute_tool weather", "$1", "no answer in time"), room=40) == [
        "TIME   NAME          COST  ERROR",
        "12:00  execute_too…    $1  no answer in…",
    ]


def test_columns_leave_in_their_order_when_cutting_is_not_enough():
    assert lines(("12:00", "execute_tool weather", "$1", "no answer in time"), room=24) == [
        "TIME   NAME      ERROR",
        "12:00  execute…  no ans…",
    ]


def test_no_line_is_wider_than_the_terminal_however_narrow_it_is():
    for room in range(1, 60):
        shown = lines(("2026-11-22 12:00:00", "日本語のホテル予約", "$1", "e" * 500), room=room)
        assert max(width(line) for line in shown) <= room


def test_a_column_without_a_single_value_is_left_out():
    assert lines(("12:00", "chat", "", "")) == ["TIME   NAME", "12:00  chat"]


def test_colours_change_no_text():
    terminal = Terminal(io.StringIO(), width=40, colour=True)
    shown = list(table_lines(COLUMNS, [[Cell("12:00", "red"), Cell("chat"), Cell("$1"), Cell("")]], terminal))
    assert shown == ["\x1b[2mTIME \x1b[0m  \x1b[2mNAME\x1b[0m  \x1b[2mCOST\x1b[0m", "\x1b[31m12:00\x1b[0m  chat    $1"]
