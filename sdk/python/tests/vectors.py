import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).resolve().parents[3] / "vectors"


def read_vector(path: str) -> Any:
    return json.loads((VECTORS / path).read_text(encoding="utf-8"))
