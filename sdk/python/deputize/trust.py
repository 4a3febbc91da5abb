"""Computes the scores of the trust graph from log entries alone, with the same integers as the service."""

import heapq
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

MILLION: Final = 1_000_000
#: A vouch counts if it is on a path of at most this many vouches from an anchor to the subject.
MAX_HOPS: Final = 5
#: How many vouches one score considers.
MAX_VOUCHES: Final = 10_000

_POWERS: Final = (1_000_000, 800_000, 640_000, 512_000, 409_600, 327_680)
_FAR: Final = 255
_BASES: Final[Mapping[object, int]] = {"L2": 700_000, "L3": 950_000}
_LEAST_WEIGHT: Final = 10_000
_VERIFICATION_STANDS_MS: Final = 365 * 24 * 3_600_000
_CONTEXT: Final = re.compile(r"[a-z0-9_-]{1,32}")
_INSTANT: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z", re.ASCII)
_RATINGS: Final = ("approved", "flagged", "rejected")


@dataclass(frozen=True)
class VouchStep:
    """One vouch of a path, and what it can carry in all paths together."""

    vouch_id: str
    #: The person who vouches.
    giver: str
    capacity: int


@dataclass(frozen=True)
class VouchPath:
    """A path from an anchor to the subject, and what it carries."""

    flow: int
    steps: tuple[VouchStep, ...]


@dataclass(frozen=True)
class CutPart:
    """What limits a flow: a vouch, an anchor's own word (`base`), or what a person can pass on (`person`)."""

    limit: Literal["vouch", "base", "person"]
    #: The ID of the vouch, or the person.
    name: str
    capacity: int


@dataclass(frozen=True)
class VouchScore:
    """How much of the anchors' word reaches a subject. All amounts are millionths."""

    subject: str
    score: int
    flow: int
    anchors: int
    vouches: int
    #: Whether there were more vouches than one score considers. The flow is then a lower bound.
    truncated: bool
    #: They add up to the flow.
    paths: tuple[VouchPath, ...]
    #: Their capacities add up to the flow.
    cut: tuple[CutPart, ...]


@dataclass
class _Vouch:
    number: int
    vouch_id: str
    giver: str
    to: str
    weight: int
    context: str | None
    ends_ms: int | None
    ratings_before: tuple[int, int, int]


@dataclass
class _Standing:
    L2: int = 0
    L3: int = 0
    named: int | None = None


def _instant_ms(text: object) -> int | None:
    match = _INSTANT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second, ms = (int(part) for part in match.groups())
    shifted = year if month > 2 else year - 1
    leap_days = shifted // 4 - shifted // 100 + shifted // 400
    days = shifted * 365 + leap_days + (((month + 9) % 12) * 153 + 2) // 5 + day - 719_469
    return days * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000 + ms


def _tenant_of_agent(agent_id: object) -> str | None:
    if not isinstance(agent_id, str) or not agent_id.startswith("agent:"):
        return None
    tenant, colon, _ = agent_id.removeprefix("agent:").partition(":")
    return tenant if colon else "default"


def _millionths(value: object) -> int | None:
    # JSON has one kind of number: 1.0 is 1.
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value) if 0 <= value <= MILLION else None


def _weight(value: object) -> int | None:
    weight = _millionths(value)
    return weight if weight is not None and weight >= _LEAST_WEIGHT else None


class TrustLedger:
    """Follows the log. A leaf that breaks the rules changes nothing.

    >>> from deputize import TrustLedger
    >>> ledger = TrustLedger()
    >>> at = "2026-01-01T00:00:00.000Z"
    >>> ledger.apply({"v": 1, "type": "session.begun", "at": at, "tenant_id": "default", "human_ref": "sha256:ada",
    ...               "assurance_level": "L2"})
    >>> ledger.apply({"v": 1, "type": "vouch.made", "at": at, "tenant_id": "default", "vouch_id": "vch_1",
    ...               "from": "sha256:ada", "to": {"agent_id": "agent:trip-bot"}, "weight": 500_000})
    >>> ledger.score("agent:trip-bot").flow
    400000
    """

    def __init__(self) -> None:
        self._size = 0
        self._now_ms = 0
        self._made = 0
        self._vouches: dict[str, _Vouch] = {}
        self._endings: list[tuple[int, str]] = []
        self._ins: dict[str, dict[int, _Vouch]] = {}
        self._outs: dict[str, dict[int, _Vouch]] = {}
        self._standings: dict[str, _Standing] = {}
        self._tenants: dict[str, str] = {}
        self._ratings: dict[str, list[int]] = {}
        self._ratings_by_ended: dict[str, list[int]] = {}
        self._appliers: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "session.begun": lambda leaf: self._verify(leaf, leaf.get("tenant_id")),
            "token.issued": lambda leaf: self._verify(leaf, _tenant_of_agent(leaf.get("agent_id"))),
            "registry.changed": self._end_verification,
            "human.erased": self._erase,
            "anchor.named": self._name_anchor,
            "anchor.removed": self._remove_anchor,
            "vouch.made": self._make_vouch,
            "vouch.changed": self._change_vouch,
            "vouch.withdrawn": self._withdraw_vouch,
            "action.rated": self._rate,
        }

    @property
    def size(self) -> int:
        """The number of leaves applied."""
        return self._size

    def apply(self, leaf: Mapping[str, Any]) -> None:
        """Applies the next leaf of the log."""
        self._size += 1
        self._now_ms = max(self._now_ms, _instant_ms(leaf.get("at")) or 0)
        while self._endings and self._endings[0][0] <= self._now_ms:
            ends_ms, vouch_id = heapq.heappop(self._endings)
            vouch = self._vouches.get(vouch_id)
            # A vouch whose end was changed is in the heap twice.
            if vouch is not None and vouch.ends_ms == ends_ms:
                self._end(vouch)
        apply_leaf = self._appliers.get(str(leaf.get("type")))
        if apply_leaf is not None:
            apply_leaf(leaf)

    def score(
        self, subject: str, *, context: str | None = None, seen_by: str | None = None, limit: int = MAX_VOUCHES
    ) -> VouchScore:
        """Computes a score. `seen_by` is the `human_ref` of the only anchor, whose own word counts in full."""
        nothing = VouchScore(subject, 0, 0, 0, 0, False, (), ())
        if seen_by == subject:
            return nothing
        if seen_by is None:
            bases = {person: self._base_of(person) for person in self._standings}
            bases = {person: base for person, base in bases.items() if base > 0}
        else:
            bases = {seen_by: MILLION}
        around = _Surroundings(self, subject, context, bases)
        vouches = around.vouches_within()
        if not vouches:
            return nothing
        most = min(limit, MAX_VOUCHES)
        truncated = len(vouches) > most
        taken = sorted(around.widest(vouches, most) if truncated else vouches, key=lambda vouch: vouch.number)
        network = _Network(around, taken)
        flow = network.maximize()
        score = VouchScore(
            subject=subject,
            score=flow * MILLION // (flow + MILLION),
            flow=flow,
            anchors=network.anchors,
            vouches=len(taken),
            truncated=truncated,
            paths=network.paths(),
            cut=network.cut(),
        )
        if not sum(path.flow for path in score.paths) == flow == sum(part.capacity for part in score.cut):
            raise AssertionError("The paths, the cut and the flow do not agree.")
        return score

    def _accuracy_of(self, person: str) -> int:
        """Returns how far a person's word has held up, in millionths."""
        tally = list(self._ratings_by_ended.get(person, (0, 0, 0)))
        counted: set[str] = set()
        for vouch in self._outs.get(person, {}).values():
            # A rating counts once, by the oldest vouch, in however many contexts the person vouches for the agent.
            if vouch.to not in counted:
                counted.add(vouch.to)
                self._add_ratings(tally, vouch)
        approved, flagged, rejected = tally
        good = approved + 4
        return good * MILLION // (good + flagged + 4 * rejected)

    def _vouches_for(self, subject: str, context: str | None) -> list[_Vouch]:
        """Returns the standing vouches for a subject that count in a context."""
        return [one for one in self._ins.get(subject, {}).values() if one.context in (None, context)]

    def _vouches_of(self, person: str, context: str | None) -> list[_Vouch]:
        """Returns the standing vouches of a person that count in a context."""
        return [one for one in self._outs.get(person, {}).values() if one.context in (None, context)]

    def _base_of(self, person: str) -> int:
        standing = self._standings.get(person)
        if standing is None:
            return 0
        if standing.named is not None:
            return standing.named
        if standing.L3 > self._now_ms:
            return _BASES["L3"]
        return _BASES["L2"] if standing.L2 > self._now_ms else 0

    def _verify(self, leaf: Mapping[str, Any], tenant_id: object) -> None:
        level = leaf.get("assurance_level")
        if level not in ("L2", "L3"):
            return
        person = self._person(leaf.get("human_ref"), tenant_id)
        if person is not None:
            setattr(self._standings.setdefault(person, _Standing()), level, self._now_ms + _VERIFICATION_STANDS_MS)

    def _end_verification(self, leaf: Mapping[str, Any]) -> None:
        is_deleted = leaf.get("kind") == "biometric" and leaf.get("removed") is True
        level = "L3" if is_deleted else leaf.get("withdraws")
        if level not in ("L2", "L3"):
            return
        person = leaf.get("human_ref")
        standing = self._standings.get(person) if isinstance(person, str) else None
        if standing is not None:
            setattr(standing, level, 0)

    def _erase(self, leaf: Mapping[str, Any]) -> None:
        person = leaf.get("human_ref")
        if not isinstance(person, str):
            return
        standing = self._standings.pop(person, None)
        if standing is not None and standing.named == 0:
            # A person whom an operator removed stays removed: erasing themselves and signing in again must not undo it.
            self._standings[person] = _Standing(named=0)
        for vouch in [*self._ins.get(person, {}).values(), *self._outs.get(person, {}).values()]:
            self._end(vouch)

    def _name_anchor(self, leaf: Mapping[str, Any]) -> None:
        base = _millionths(leaf.get("base"))
        person = None if base is None else self._person(leaf.get("human_ref"), leaf.get("tenant_id"))
        if person is not None:
            self._standings.setdefault(person, _Standing()).named = base

    def _remove_anchor(self, leaf: Mapping[str, Any]) -> None:
        person = self._person(leaf.get("human_ref"), leaf.get("tenant_id"))
        if person is not None and person in self._standings:
            self._standings[person].named = None

    def _make_vouch(self, leaf: Mapping[str, Any]) -> None:
        vouch_id, tenant_id, context = leaf.get("vouch_id"), leaf.get("tenant_id"), leaf.get("context")
        weight = _weight(leaf.get("weight"))
        is_context = "context" not in leaf or (isinstance(context, str) and _CONTEXT.fullmatch(context))
        if not isinstance(vouch_id, str) or vouch_id in self._vouches or weight is None or not is_context:
            return
        valid, ends_ms = self._end_of(leaf)
        if not valid:
            return
        giver = self._person(leaf.get("from"), tenant_id)
        to = self._subject(leaf.get("to"), tenant_id)
        if giver is None or to is None or giver == to:
            return
        if any(one.to == to and one.context == context for one in self._outs.get(giver, {}).values()):
            return
        approved, flagged, rejected = self._ratings.get(to, (0, 0, 0))
        vouch = _Vouch(
            self._made, vouch_id, giver, to, weight, context, ends_ms, (approved, flagged, rejected)
        )
        self._made += 1
        self._note_end(vouch)
        self._vouches[vouch_id] = vouch
        self._ins.setdefault(to, {})[vouch.number] = vouch
        self._outs.setdefault(giver, {})[vouch.number] = vouch

    def _change_vouch(self, leaf: Mapping[str, Any]) -> None:
        vouch = self._vouches.get(str(leaf.get("vouch_id")))
        weight = _weight(leaf.get("weight"))
        valid, ends_ms = self._end_of(leaf)
        if vouch is not None and weight is not None and valid:
            vouch.weight, vouch.ends_ms = weight, ends_ms
            self._note_end(vouch)

    def _withdraw_vouch(self, leaf: Mapping[str, Any]) -> None:
        vouch = self._vouches.get(str(leaf.get("vouch_id")))
        if vouch is not None:
            self._end(vouch)

    def _rate(self, leaf: Mapping[str, Any]) -> None:
        agent_id, rating = leaf.get("agent_id"), leaf.get("rating")
        if rating in _RATINGS and _tenant_of_agent(agent_id) is not None:
            self._ratings.setdefault(str(agent_id), [0, 0, 0])[_RATINGS.index(str(rating))] += 1

    def _end_of(self, leaf: Mapping[str, Any]) -> tuple[bool, int | None]:
        if "expires_at" not in leaf:
            return True, None
        ends_ms = _instant_ms(leaf["expires_at"])
        return ends_ms is not None and ends_ms > self._now_ms, ends_ms

    def _note_end(self, vouch: _Vouch) -> None:
        if vouch.ends_ms is not None:
            heapq.heappush(self._endings, (vouch.ends_ms, vouch.vouch_id))

    def _end(self, vouch: _Vouch) -> None:
        if self._vouches.pop(vouch.vouch_id, None) is None:
            return
        self._keep_ratings(vouch)
        del self._ins[vouch.to][vouch.number]
        del self._outs[vouch.giver][vouch.number]

    def _keep_ratings(self, vouch: _Vouch) -> None:
        """Keeps the ratings that counted through a vouch that ends. The next oldest vouch counts later ones."""
        oldest, *others = [one for one in self._outs[vouch.giver].values() if one.to == vouch.to]
        if oldest is not vouch:
            return
        self._add_ratings(self._ratings_by_ended.setdefault(vouch.giver, [0, 0, 0]), vouch)
        for following in others[:1]:
            approved, flagged, rejected = self._ratings.get(vouch.to, (0, 0, 0))
            following.ratings_before = (approved, flagged, rejected)

    def _add_ratings(self, tally: list[int], vouch: _Vouch) -> None:
        for place, count in enumerate(self._ratings.get(vouch.to, vouch.ratings_before)):
            tally[place] += count - vouch.ratings_before[place]

    def _person(self, human_ref: object, tenant_id: object) -> str | None:
        if not isinstance(human_ref, str) or human_ref == "" or human_ref.startswith("agent:"):
            return None
        return self._node_in(human_ref, tenant_id)

    def _subject(self, to: object, tenant_id: object) -> str | None:
        if not isinstance(to, Mapping):
            return None
        if "agent_id" not in to:
            return self._person(to.get("human_ref"), tenant_id)
        agent_id = to["agent_id"]
        if not isinstance(agent_id, str) or "human_ref" in to or _tenant_of_agent(agent_id) != tenant_id:
            return None
        return self._node_in(agent_id, tenant_id)

    def _node_in(self, name: str, tenant_id: object) -> str | None:
        if not isinstance(tenant_id, str):
            return None
        return name if self._tenants.setdefault(name, tenant_id) == tenant_id else None


class _Surroundings:
    """A subject, the anchors that count for it, and how far people are from them."""

    def __init__(self, ledger: TrustLedger, subject: str, context: str | None, bases: Mapping[str, int]) -> None:
        self.ledger = ledger
        self.subject = subject
        self.context = context
        self.bases = bases
        self._accuracies: dict[str, int] = {}
        self.distances = dict.fromkeys(bases, 0)
        waiting = deque(bases)
        while waiting:
            person = waiting.popleft()
            hops = self.distances[person] + 1
            if hops < MAX_HOPS:
                for vouch in ledger._vouches_of(person, context):
                    if vouch.to not in self.distances and not vouch.to.startswith("agent:"):
                        self.distances[vouch.to] = hops
                        waiting.append(vouch.to)

    def base_of(self, person: str) -> int:
        return 0 if person == self.subject else self.bases.get(person, 0)

    def person_capacity(self, person: str) -> int:
        return self._kept(self._hops(person)) * self._accuracy(person) // MILLION

    def vouch_capacity(self, vouch: _Vouch) -> int:
        held = vouch.weight * self._accuracy(vouch.giver) // MILLION
        return held * self._kept(self._hops(vouch.giver) + 1) // MILLION

    def vouches_within(self) -> list[_Vouch]:
        """Returns the vouches on paths of at most five from an anchor to the subject."""
        found: list[_Vouch] = []
        seen, nearest = {self.subject}, [self.subject]
        for hops in range(1, MAX_HOPS + 1):
            following: list[str] = []
            for name in nearest:
                for vouch in self.ledger._vouches_for(name, self.context):
                    giver = vouch.giver
                    if giver == self.subject or self._hops(giver) + hops > MAX_HOPS:
                        continue
                    found.append(vouch)
                    if giver not in seen:
                        seen.add(giver)
                        following.append(giver)
            nearest = following
        return found

    def widest(self, vouches: list[_Vouch], limit: int) -> list[_Vouch]:
        """Returns the vouches on the widest paths, as if everyone split their word evenly."""
        ordered = sorted(vouches, key=lambda vouch: vouch.number)
        shares = self._even_shares(ordered)
        places: dict[str, list[int]] = {}
        for place, vouch in enumerate(ordered):
            places.setdefault(vouch.to, []).append(place)
        waiting: list[tuple[int, int]] = []
        reached: set[str] = set()
        taken: list[_Vouch] = []

        def reach(name: str, width: int) -> None:
            if name not in reached:
                reached.add(name)
                for place in places.get(name, []):
                    heapq.heappush(waiting, (-min(width, shares[place]), place))

        reach(self.subject, 2**53 - 1)
        while waiting and len(taken) < limit:
            width, place = heapq.heappop(waiting)
            taken.append(ordered[place])
            reach(ordered[place].giver, -width)
        return taken

    def _even_shares(self, vouches: list[_Vouch]) -> list[int]:
        names = {name for vouch in vouches for name in (vouch.giver, vouch.to)}
        fan_outs = dict.fromkeys(names, 0)
        for vouch in vouches:
            fan_outs[vouch.giver] += 1
        bases = {name: self.base_of(name) * MILLION for name in names}
        limits = {name: self.person_capacity(name) * MILLION for name in names}
        capacities = [self.vouch_capacity(vouch) * MILLION for vouch in vouches]
        shares = [0] * len(vouches)
        supplies = bases
        for _ in range(MAX_HOPS):
            following = dict(bases)
            for place, vouch in enumerate(vouches):
                part = min(supplies[vouch.giver], limits[vouch.giver]) // max(1, fan_outs[vouch.giver])
                shares[place] = min(capacities[place], part)
                following[vouch.to] = min(MILLION * MILLION, following[vouch.to] + shares[place])
            supplies = following
        return shares

    def _hops(self, person: str) -> int:
        return self.distances.get(person, _FAR)

    def _accuracy(self, person: str) -> int:
        if person not in self._accuracies:
            self._accuracies[person] = self.ledger._accuracy_of(person)
        return self._accuracies[person]

    @staticmethod
    def _kept(hops: int) -> int:
        return _POWERS[hops] if hops < len(_POWERS) else 0


_SUBJECT: Final = 0
_ANCHORS: Final = 1


@dataclass
class _Arc:
    tail: int
    head: int
    capacity: int
    limit: Literal["vouch", "base", "person"]
    name: str
    giver: str = field(default="")


class _Network:
    """The network of a score, from the subject back to the anchors, and a maximum flow by Dinic's algorithm."""

    def __init__(self, around: _Surroundings, vouches: list[_Vouch]) -> None:
        self._around = around
        self._arcs: list[_Arc] = []
        self._nodes: dict[str, int] = {}
        self._size = 2
        self.anchors = 0
        for vouch in vouches:
            tail = _SUBJECT if vouch.to == around.subject else self._node(vouch.to) + 1
            head = self._node(vouch.giver)
            capacity = around.vouch_capacity(vouch)
            self._arcs.append(_Arc(tail, head, capacity, "vouch", vouch.vouch_id, vouch.giver))
        # Arc n has two halves: 2n forward and 2n + 1 backward.
        self._heads = [end for arc in self._arcs for end in (arc.head, arc.tail)]
        self._left = [amount for arc in self._arcs for amount in (arc.capacity, 0)]
        self._halves: list[list[int]] = [[] for _ in range(self._size)]
        for half in range(len(self._heads)):
            self._halves[self._heads[half ^ 1]].append(half)
        self._levels: list[int] = []
        self._cursors: list[int] = []

    def maximize(self) -> int:
        """Sends as much as possible from the subject to the anchors."""
        flow = 0
        while self._set_levels():
            self._cursors = [0] * self._size
            sent = self._augment()
            while sent > 0:
                flow += sent
                sent = self._augment()
        return flow

    def cut(self) -> tuple[CutPart, ...]:
        """Returns the full arcs that leave the nodes still reachable."""
        return tuple(
            CutPart(arc.limit, arc.name, arc.capacity)
            for arc in self._arcs
            if self._levels[arc.tail] >= 0 and self._levels[arc.head] < 0 and arc.capacity > 0
        )

    def paths(self) -> tuple[VouchPath, ...]:
        """Returns the flow as paths, largest first."""
        left: dict[int, int] = {}
        starting: dict[int, list[int]] = {}
        for number in range(len(self._arcs) - 1, -1, -1):
            if self._left[number * 2 + 1] > 0:
                left[number] = self._left[number * 2 + 1]
                starting.setdefault(self._arcs[number].tail, []).append(number)
        paths: list[VouchPath] = []
        way = self._take_way(left, starting)
        while way is not None:
            flow, numbers = way
            steps = [self._arcs[number] for number in reversed(numbers) if self._arcs[number].limit == "vouch"]
            paths.append(VouchPath(flow, tuple(VouchStep(arc.name, arc.giver, arc.capacity) for arc in steps)))
            way = self._take_way(left, starting)
        return tuple(sorted(paths, key=lambda path: -path.flow))

    def _take_way(self, left: dict[int, int], starting: dict[int, list[int]]) -> tuple[int, list[int]] | None:
        way: list[int] = []
        places = {_SUBJECT: 0}
        node = _SUBJECT
        while node != _ANCHORS:
            numbers = starting.get(node, [])
            while numbers and numbers[-1] not in left:
                numbers.pop()
            if not numbers:
                return None
            way.append(numbers[-1])
            node = self._arcs[numbers[-1]].head
            if node in places:
                place = places[node]
                circle, way = way[place:], way[:place]
                self._take(left, circle)
                for number in circle:
                    places.pop(self._arcs[number].head, None)
                places[node] = place
            else:
                places[node] = len(way)
        return self._take(left, way), way

    @staticmethod
    def _take(left: dict[int, int], way: list[int]) -> int:
        flow = min(left[number] for number in way)
        for number in way:
            left[number] -= flow
            if left[number] == 0:
                del left[number]
        return flow

    def _node(self, person: str) -> int:
        if person in self._nodes:
            return self._nodes[person]
        node = self._nodes[person] = self._size
        self._size += 2
        self._arcs.append(_Arc(node, node + 1, self._around.person_capacity(person), "person", person))
        base = self._around.base_of(person)
        if base > 0:
            self.anchors += 1
            self._arcs.append(_Arc(node + 1, _ANCHORS, base, "base", person))
        return node

    def _set_levels(self) -> bool:
        self._levels = [-1] * self._size
        self._levels[_SUBJECT] = 0
        queue = deque([_SUBJECT])
        while queue:
            node = queue.popleft()
            for half in self._halves[node]:
                head = self._heads[half]
                if self._left[half] > 0 and self._levels[head] < 0:
                    self._levels[head] = self._levels[node] + 1
                    if head == _ANCHORS:
                        return True
                    queue.append(head)
        return False

    def _augment(self) -> int:
        way: list[int] = []
        node = _SUBJECT
        while node != _ANCHORS:
            half = self._next_half(node)
            if half is not None:
                way.append(half)
                node = self._heads[half]
            elif way:
                node = self._heads[way.pop() ^ 1]
                self._cursors[node] += 1
            else:
                return 0
        most = min(self._left[half] for half in way)
        for half in way:
            self._left[half] -= most
            self._left[half ^ 1] += most
        return most

    def _next_half(self, node: int) -> int | None:
        halves = self._halves[node]
        while self._cursors[node] < len(halves):
            half = halves[self._cursors[node]]
            if self._left[half] > 0 and self._levels[self._heads[half]] == self._levels[node] + 1:
                return half
            self._cursors[node] += 1
        return None
