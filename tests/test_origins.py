"""Which web pages may talk to a server on this machine: its own and allowed ones, by its own names."""

import pytest

from stammtisch.origins import OriginPolicy


def refused(policy, host, origin=None):
    return policy.refusal([host], [] if origin is None else [origin]) is not None


@pytest.mark.parametrize("host", ["127.0.0.1:3000", "localhost:3000", "LOCALHOST", "[::1]:3000", "jass.localhost"])
def test_programs_reach_a_loopback_server_by_its_names(host):
    assert not refused(OriginPolicy("127.0.0.1"), host)


@pytest.mark.parametrize(
    "host",
    ["evil.example:3000", "127.0.0.1.evil.example", "10.0.0.7:3000", "", "a b", "x@localhost", "localhost/x", "[::1"],
)
def test_a_loopback_server_has_no_other_name(host):
    assert refused(OriginPolicy("127.0.0.1"), host)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://evil.example:3000",
        "http://localhost:8000",
        "http://localhost:3000.evil.example",
        "http://localhost:3000@evil.example",
        "http://localhost",
        "https://127.0.0.1:3000",
        "null",
        "",
        "file://",
        "chrome-extension://abc",
        "http://[",
        "http://localhost:99999999",
    ],
)
def test_foreign_pages_are_refused(origin):
    assert refused(OriginPolicy("127.0.0.1"), "localhost:3000", origin)


def test_a_page_of_the_server_itself_may_come_back():
    assert not refused(OriginPolicy("127.0.0.1"), "localhost:3000", "http://localhost:3000")
    assert not refused(OriginPolicy("0.0.0.0"), "192.168.1.5:80", "http://192.168.1.5")


def test_a_name_that_was_made_to_mean_loopback_is_refused():
    assert refused(OriginPolicy("127.0.0.1"), "evil.example:3000", "http://evil.example:3000")
    assert refused(OriginPolicy("0.0.0.0"), "evil.example:3000", "http://evil.example:3000")


def test_programs_reach_an_open_server_by_any_name():
    assert not refused(OriginPolicy("0.0.0.0"), "jass.example.org:3000")
    assert not refused(OriginPolicy("jass.example.org"), "jass.example.org:3000", "http://jass.example.org:3000")


def test_allowed_pages_are_let_in_and_their_name_is_the_servers():
    policy = OriginPolicy("127.0.0.1", ["https://Jass.example.org", "null"])
    assert not refused(policy, "localhost:3000", "https://jass.example.org:443")
    assert not refused(policy, "jass.example.org", "https://jass.example.org")
    assert not refused(policy, "localhost:3000", "null")
    assert refused(policy, "localhost:3000", "http://jass.example.org")


def test_the_star_lifts_every_check():
    assert OriginPolicy("127.0.0.1", ["*"]).refusal(["x", "y"], ["http://evil.example"]) is None


def test_headers_said_twice_or_not_at_all_are_refused():
    policy = OriginPolicy("127.0.0.1")
    assert policy.refusal([], []) is not None
    assert policy.refusal(["localhost", "localhost"], []) is not None
    assert policy.refusal(["localhost"], ["http://localhost", "http://localhost"]) is not None


def test_the_answer_to_a_foreign_page_says_what_would_help_and_nothing_raw():
    told = OriginPolicy("127.0.0.1").refusal(["localhost"], ["http://e\x1b[31m\u202e" + 500 * "x"])
    assert told.isprintable()
    assert len(told) < 250
    assert "--allow-origin" in told


@pytest.mark.parametrize("origin", ["evil.example", "http://", "http://a/b", "ftp://a", "http://u@a", "http://a:b"])
def test_an_origin_that_cannot_be_read_is_told_at_once(origin):
    with pytest.raises(ValueError, match="write it as browsers send it"):
        OriginPolicy("127.0.0.1", [origin])
