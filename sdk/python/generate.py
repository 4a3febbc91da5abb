"""Writes deputize/_generated.py from openapi.json: the shapes, the refusals and one method for each operation.

`npm run generate` runs it. With --print it reads the document from its input and prints path and text as JSON.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent / "openapi.json"
TARGET = HERE / "deputize" / "_generated.py"

Schema = dict[str, Any]

# Answers that are not text.
BINARY = ("application/octet-stream", "application/zip")

# Answers with their own names. All others are named after their operation.
NAMES = {
    "issueL1": "IssuedToken",
    "delegate": "DelegatedToken",
    "getToken": "TokenView",
    "authorize": "Decision",
    "getRecord": "Record",
    "getDenial": "Denial",
    "getApproval": "Approval",
    "getAgent": "Agent",
    "getTenant": "Tenant",
    "getReceipt": "Receipt",
    "getReputation": "Reputation",
}

HEADER = '''"""Written by generate.py from openapi.json. Change those, not this file."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from deputize.call import UNSET, Call, Unset
from deputize.errors import Refusal
from deputize.transport import AsyncTransport, Transport

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired
'''


def generated(document: Schema) -> str:
    """Returns the whole text of the module."""
    document = {**document, "paths": resolved(document["paths"], document)}
    shapes = Shapes(list(document["webhooks"]))
    event_types = [wanted_event(name, each, shapes) for name, each in resolved(document["webhooks"], document).items()]
    operations = list(read_operations(document, shapes))
    events = "DeputyEvent: TypeAlias = (\n    " + "\n    | ".join(event_types) + "\n)\n"
    names = re.findall(r"^class (\w+)|^(\w+) = TypedDict", "\n".join([*refusals(document), *shapes.texts]), re.MULTILINE)
    public = sorted([first or second for first, second in names] + ["DeputyEvent", "EventType", "REFUSALS"])
    parts = [
        HEADER,
        "__all__ = [\n" + "".join(f'    "{name}",\n' for name in public) + "]\n",
        *refusals(document),
        f"EventType: TypeAlias = Literal[{', '.join(map(literal, document['webhooks']))}]\n",
        *shapes.texts,
        events,
        *clients(document["tags"], operations),
    ]
    return "\n\n".join(part.strip("\n") + "\n" for part in parts)


def wanted_event(type_: str, methods: Schema, shapes: "Shapes") -> str:
    """Returns the name of the TypedDict for one type of event, such as `TokenIssuedEvent`."""
    schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
    name = "".join(word.capitalize() for word in re.split("[._]", type_)) + "Event"
    shapes.want(schema, name)
    return name


def resolved(value: Any, document: Schema) -> Any:
    """Returns the value with every reference replaced by its component. A description next to a reference wins."""
    if isinstance(value, list):
        return [resolved(each, document) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$ref"), str):
        target: Any = document
        for step in value["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        beside = {name: each for name, each in value.items() if name != "$ref"}
        return {**resolved(target, document), **beside}
    return {name: resolved(each, document) for name, each in value.items()}


def refusals(document: Schema) -> Iterator[str]:
    problem = document["components"]["schemas"]["Problem"]
    codes: list[str] = problem["properties"]["code"]["enum"]
    titles = dict(re.findall(r"`(\w+)`: (.+?)(?=\n|$)", all_descriptions(document)))
    for code in codes:
        words = titles.get(code, "The service refused.").replace('"', "'")
        yield f'class {pascal(code)}Error(Refusal):\n    """`{code}`: {words}"""\n'
    entries = "".join(f'    "{code}": {pascal(code)}Error,\n' for code in codes)
    yield f"REFUSALS: Final[Mapping[str, type[Refusal]]] = {{\n{entries}}}\n"


def all_descriptions(document: Schema) -> str:
    return "\n".join(
        response["description"]
        for methods in document["paths"].values()
        for operation in methods.values()
        for response in operation["responses"].values()
    )


class Shapes:
    """The TypedDicts of all schemas. Equal schemas share one."""

    def __init__(self, event_types: list[str]) -> None:
        self.texts: list[str] = []
        self._event_types = event_types
        self._wanted: dict[str, str] = {}
        self._named: dict[str, str] = {}

    def want(self, schema: Schema, name: str) -> None:
        """Gives this schema this name wherever it appears."""
        self._wanted.setdefault(identity(schema), name)

    def type_of(self, schema: Schema, name: str, is_input: bool = False) -> str:
        if "const" in schema:
            return f"Literal[{literal(schema['const'])}]"
        if "enum" in schema:
            return self._one_of(schema["enum"])
        if "oneOf" in schema and "discriminator" not in schema:
            return "Mapping[str, Any]"  # keys: the service reads them by its own rules
        if "anyOf" in schema or "oneOf" in schema:
            options = schema.get("anyOf") or schema["oneOf"]
            return union([self.type_of(option, f"{name}{at or ''}", is_input) for at, option in enumerate(options, 1)])
        kind = schema.get("type")
        if isinstance(kind, list):
            return union([self.type_of({**schema, "type": each}, name, is_input) for each in kind])
        if kind == "array":
            item = self.type_of(schema["items"], f"{name}Item", is_input)
            return f"Sequence[{item}]" if is_input else f"list[{item}]"
        if kind == "object":
            return self._object(schema, name, is_input)
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(
            str(kind), "Any"
        )

    def _one_of(self, values: list[Any]) -> str:
        others = [value for value in values if value not in self._event_types]
        has_all = len(values) - len(others) == len(self._event_types)
        listed = others if has_all else values
        shown = [f"Literal[{', '.join(map(literal, listed))}]"] if listed else []
        return union([*shown, "EventType"] if has_all else shown)

    def _object(self, schema: Schema, name: str, is_input: bool) -> str:
        if not schema.get("properties"):
            others = schema.get("additionalProperties")
            value = others if isinstance(others, dict) else {}
            shown = self.type_of(value, f"{name}Value", is_input) if value else "Any"
            return f"Mapping[str, {shown}]" if is_input else f"dict[str, {shown}]"
        key = identity(schema) + (" input" if is_input else "")
        if key not in self._named:
            wanted = self._wanted.get(identity(schema), name).removesuffix("Input")
            self._named[key] = self._free(f"{wanted}Input" if is_input else wanted)
            self._write(self._named[key], schema, is_input)
        # Members that a pattern allows can't be in a TypedDict. They need a cast, so that typos in the others are
        # found.
        return self._named[key]

    def _free(self, name: str) -> str:
        taken = {name for name in self._named.values()}
        return next(each for each in [name, *(f"{name}{n}" for n in range(2, 99))] if each not in taken)

    def _write(self, name: str, schema: Schema, is_input: bool) -> None:
        required = schema.get("required", [])
        lines = []
        is_plain = not any(keyword.iskeyword(member) for member in schema["properties"])
        for member, each in schema["properties"].items():
            shown = self.type_of(each, f"{name}{pascal(member)}".replace("Input", "", 1), is_input)
            shown = shown if member in required else f"NotRequired[{shown}]"
            lines.append(f"    {member}: {shown}" if is_plain else f'        "{member}": {shown},')
        body = "\n".join(lines)
        if is_plain:
            self.texts.append(f"class {name}(TypedDict):\n{body}\n")
        else:
            self.texts.append(f'{name} = TypedDict(\n    "{name}",\n    {{\n{body}\n    }},\n)\n')


@dataclass
class Argument:
    wire: str
    place: str
    type: str
    is_required: bool
    takes_null: bool

    @property
    def name(self) -> str:
        return f"{self.wire}_" if keyword.iskeyword(self.wire) else self.wire

    @property
    def declared(self) -> str:
        if self.is_required:
            return f"{self.name}: {self.type}"
        if self.takes_null:
            return f"{self.name}: {self.type} | Unset = UNSET"
        return f"{self.name}: {self.type} | None = None"


@dataclass
class Operation:
    id: str
    method: str
    path: str
    words: str
    arguments: list[Argument]
    media_type: str | None
    answer: str
    answer_form: str
    item: str | None
    tag: str

    @property
    def name(self) -> str:
        return snake(self.id)


def read_operations(document: Schema, shapes: Shapes) -> Iterator[Operation]:
    issue = document["paths"]["/v1/vat/issue/l1"]["post"]
    shapes.want(issue["requestBody"]["content"]["application/json"]["schema"]["properties"]["constraints"], "Constraints")
    shapes.want(answer_schema(issue)["properties"]["claims"], "Claims")
    for _, _, operation in sorted(each_operation(document), key=lambda each: each[2]["operationId"] not in NAMES):
        schema = answer_schema(operation)
        if schema.get("type") == "object" and schema.get("properties"):
            shapes.want(schema, answer_name(operation))
    for path, method, operation in each_operation(document):
        yield read_operation(path, method, operation, shapes)


def each_operation(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def read_operation(path: str, method: str, operation: Schema, shapes: Shapes) -> Operation:
    id_ = operation["operationId"]
    content = operation.get("requestBody", {}).get("content", {})
    media_type = next(iter(content), None)
    arguments = [
        Argument(each["name"], each["in"], shapes.type_of(each["schema"], pascal(id_), True), each["required"], False)
        for each in operation["parameters"]
        if each["in"] != "header"
    ]
    body: Schema = content[media_type]["schema"] if media_type else {"properties": {}}
    # If null removes any member, None can't mean that an argument is absent.
    takes_null = any(has_null(schema) for schema in body["properties"].values())
    for member, schema in body["properties"].items():
        shown = shapes.type_of(schema, f"{pascal(id_)}{pascal(member)}", True)
        is_required = member in body.get("required", [])
        arguments.append(Argument(member, "body", shown, is_required, takes_null and not is_required))
    schema, media_types = answer_schema(operation), answer_media(operation)
    form = "json" if media_types[0] == "application/json" else "bytes" if media_types[0] in BINARY else "text"
    answer = {"bytes": "bytes", "text": "str"}.get(form) or shapes.type_of(schema, answer_name(operation))
    members = schema.get("properties", {})
    # Events are followed by index, with `events`.
    is_list = form == "json" and {"data", "next_cursor"} <= set(members) and members["next_cursor"]["type"] != "integer"
    item = shapes.type_of(schema["properties"]["data"], answer_name(operation) + "Data") if is_list else None
    words = " ".join([operation["summary"] + ".", operation.get("description", "")]).strip()
    [tag] = operation["tags"]
    listed = item and item.removeprefix("list[")[:-1]
    return Operation(id_, method.upper(), path, words, arguments, media_type, answer, form, listed, tag)


def has_null(schema: Schema) -> bool:
    return any(option.get("type") == "null" for option in schema.get("anyOf", []))


def answer_schema(operation: Schema) -> Schema:
    content = next(r for code, r in operation["responses"].items() if code.startswith("2"))["content"]
    return next(iter(content.values())).get("schema", {})  # type: ignore[no-any-return]


def answer_media(operation: Schema) -> list[str]:
    return list(next(r for code, r in operation["responses"].items() if code.startswith("2"))["content"])


def answer_name(operation: Schema) -> str:
    return NAMES.get(operation["operationId"], f"{pascal(operation['operationId'])}Response")


def clients(tags: list[Schema], operations: list[Operation]) -> Iterator[str]:
    """Yields a sync and an async class for each subject of the API, and the two clients that combine them.

    The two are adjacent because their texts repeat: compression finds only recent text, and the package is an eighth
    smaller.
    """
    subjects = [each for each in tags if any(operation.tag == each["name"] for operation in operations)]
    names = [pascal(each["name"]) for each in subjects]
    for subject, name in zip(subjects, names):
        own = [operation for operation in operations if operation.tag == subject["name"]]
        yield methods_class(f"_{name}", "Transport", subject["description"], own, is_async=False)
        yield methods_class(f"_Async{name}", "AsyncTransport", subject["description"], own, is_async=True)
    for kind in ("", "Async"):
        bases = "".join(f"    _{kind}{name},\n" for name in names)
        words = f"One {kind.lower()}{' ' if kind else ''}method for each operation, called as its operation id in snake_case."
        head = f'class Generated{kind}Deputy(\n{bases}):\n    """{words}"""\n\n'
        yield head + "    _refusals: ClassVar[Mapping[str, type[Refusal]]] = REFUSALS\n"


def methods_class(name: str, base: str, words: str, operations: list[Operation], is_async: bool) -> str:
    methods = [text for operation in operations for text in operation_methods(operation, is_async)]
    return f'class {name}({base}):\n    """{words}"""\n\n' + "\n".join(methods)


def operation_methods(operation: Operation, is_async: bool) -> Iterator[str]:
    paths = [each for each in operation.arguments if each.place == "path"]
    named = [each for each in operation.arguments if each.place != "path"]
    named.sort(key=lambda each: not each.is_required)
    keyed = ["idempotency_key: str | None = None"] if operation.method == "POST" else []
    declared = [each.declared for each in named] + keyed
    signature = ["self", *(each.declared for each in paths), *(["*", *declared] if declared else [])]
    yield "\n".join(
        [
            f"    {'async ' if is_async else ''}def {operation.name}(",
            *(f"        {each}," for each in signature),
            f"    ) -> {operation.answer}:",
            docstring(operation.words),
            f"        return {'await ' if is_async else ''}self._call(",
            *call_lines(operation),
            "        )",
            "",
        ]
    )
    if operation.item is not None:
        yield iteration(operation, signature, named, paths, is_async)


def call_lines(operation: Operation) -> Iterator[str]:
    path = re.sub(r"\{(\w+)\}", "{}", operation.path)
    values = ", ".join(each.name for each in operation.arguments if each.place == "path")
    yield f"            Call[{operation.answer}]("
    yield f'                "{operation.method}",'
    yield f'                "{path}",'
    if values:
        yield f"                path_values=({values},),"
    for place in ("query", "body"):
        members = [each for each in operation.arguments if each.place == place]
        if members or (place == "body" and operation.media_type):
            yield f"                {place}={{"
            yield from (f'                    "{each.wire}": {each.name},' for each in members)
            yield "                },"
    if any(each.takes_null for each in operation.arguments):
        yield "                keeps_null=True,"
    if operation.media_type == "application/x-www-form-urlencoded":
        yield "                is_form=True,"
    if operation.answer_form != "json":
        yield f'                answer="{operation.answer_form}",'
    if operation.method == "POST":
        yield "                idempotency_key=idempotency_key,"
    yield "            )"


def iteration(
    operation: Operation, signature: list[str], named: list[Argument], paths: list[Argument], is_async: bool
) -> str:
    passed = [each.name for each in paths] + [f"{each.name}={each.name}" for each in named if each.wire != "cursor"]
    kept = [each for each in signature if not each.startswith("cursor:")]
    prefix, wait = ("async ", "await ") if is_async else ("", "")
    return "\n".join(
        [
            f"    {prefix}def {operation.name.replace('list_', 'iter_', 1)}(",
            *(f"        {each}," for each in kept),
            f"    ) -> {'Async' if is_async else ''}Iterator[{operation.item}]:",
            f'        """Everything that `{operation.name}` lists, page after page."""',
            "        cursor: str | None = None",
            "        while True:",
            f"            page = {wait}self.{operation.name}(",
            *(f"                {each}," for each in [*passed, "cursor=cursor"]),
            "            )",
            '            for item in page["data"]:',
            "                yield item",
            '            cursor = page["next_cursor"]',
            "            if cursor is None:",
            "                return",
            "",
        ]
    )


def docstring(words: str) -> str:
    lines = textwrap.wrap(words.replace("\\", "\\\\").replace('"""', "'''"), 104)
    if len(lines) == 1:
        return f'        """{lines[0]}"""'
    return "\n".join([f'        """{lines[0]}', *(f"        {line}" for line in lines[1:]), '        """'])


def identity(schema: Schema) -> str:
    return json.dumps(without_words(schema), sort_keys=True)


def without_words(value: Any) -> Any:
    """Removes descriptions and bounds, which distinguish shapes only for people."""
    if isinstance(value, list):
        return [without_words(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {"type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "patternProperties"}
    shown = {name: without_words(each) for name, each in value.items() if name in kept}
    if isinstance(value.get("properties"), dict):
        shown["properties"] = {name: without_words(each) for name, each in value["properties"].items()}
    return shown


def union(options: list[str]) -> str:
    return " | ".join(dict.fromkeys(options))


def literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\-]", name))


def main() -> None:
    if "--print" in sys.argv:
        text = generated(json.load(sys.stdin))
        print(json.dumps({"path": TARGET.relative_to(HERE.parent.parent).as_posix(), "text": text}))
        return
    text = generated(json.loads(SOURCE.read_text(encoding="utf-8")))
    if "--check" in sys.argv:
        sys.exit(0 if TARGET.read_text(encoding="utf-8") == text else "deputize/_generated.py is not up to date")
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
