"""Names and limits match the service's."""

import pytest

from deputize.scope import covers, is_action, is_resource, is_resource_pattern, is_self_contained


@pytest.mark.parametrize("resource", ["calendar:events", "db:prod:users", "arn:aws:s3:::b", "dateien:Straße"])
def test_the_first_colon_ends_the_namespace(resource: str) -> None:
    assert is_resource(resource)
    assert is_resource_pattern(resource)
    assert covers(f"{resource.partition(':')[0]}:*", resource)


@pytest.mark.parametrize("text", ["", ":a", "a:", "a:b*", "a:*", "a b:c", "a:b c", "a:b:*"])
def test_other_texts_are_no_resources(text: str) -> None:
    assert not is_resource(text)


def test_a_pattern_covers_a_whole_namespace_only() -> None:
    assert is_resource_pattern("a:*")
    assert not is_resource_pattern("a:b:*")


def test_an_action_has_single_blanks_only_inside() -> None:
    assert is_action("send mail")
    for text in (" send", "send ", "send  mail", "send\tmail", "*", ""):
        assert not is_action(text)


@pytest.mark.parametrize(
    "limits",
    [
        {"arguments": {"read": {"/n": {"max": 1}}}},
        {"max_spend_usd_per": {"day": 1}},
        {"limit_of_a_later_version": 1},
    ],
)
def test_limits_of_the_service_are_never_decided_offline(limits: dict[str, object]) -> None:
    assert not is_self_contained({"svc_constraints": limits})
    assert is_self_contained({"svc_constraints": {"x_team": "blue"}})
