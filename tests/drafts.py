"""Drafts and changes with their required fields, and the problems of invalid ones."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from barcodesvc.models import LevelUpdate, ProductChange, ProductDraft

REQUIRED: dict[type[BaseModel], dict[str, Any]] = {
    ProductDraft: {"product_code": "A-1", "description": "x"},
    ProductChange: {},
    LevelUpdate: {"new_level": 1},
}


def built(model: type[BaseModel], **fields: Any) -> Any:
    """Return the model with its required fields and these."""
    return model.model_validate({**REQUIRED[model], **fields})


def refused(model: type[BaseModel], **fields: Any) -> dict[str, str]:
    """Return the problems of these fields, by field."""
    with pytest.raises(ValidationError) as refusal:
        built(model, **fields)
    return {".".join(map(str, problem["loc"])): problem["msg"] for problem in refusal.value.errors()}
