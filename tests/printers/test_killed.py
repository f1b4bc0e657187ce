from tests.printers.killed import killed_often


def test_a_kill_loses_no_label_and_doubles_none() -> None:
    """The service is killed in the middle of jobs; what it says of them afterwards is what is on paper."""
    ended = killed_often(rounds=2)
    assert dict(ended.differences) == {}
    assert ended.states.keys() <= {"printed", "in_doubt"}
    assert (ended.labels_on_paper > 0, ended.states.total(), ended.tracebacks) == (True, 4, 0)
