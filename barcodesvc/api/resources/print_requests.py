"""What clients may ask of printers: labels to print, the rest of a job, and lists of jobs."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from barcodesvc.api.requests import QueryInteger
from barcodesvc.api.resources.label_requests import MOST_LABELS, LabelsRequest
from barcodesvc.api.resources.paging import QueryId
from barcodesvc.fields import described
from barcodesvc.models import Draft, IdempotencyKey

JOBS_LISTED = 50
MOST_JOBS_LISTED = 500


class JobRequest(LabelsRequest):
    """Labels to print on a printer of the service; what `layout` does not say is as the settings of the printer say."""

    idempotency_key: IdempotencyKey | None = None


class ResendRequest(Draft):
    """Which labels of a job are printed again, in a new job."""

    from_label: Annotated[
        Annotated[int, Field(ge=1, le=MOST_LABELS)] | None,
        described("The first label of the new job; by default the first one that is not printed for sure.", 51),
    ] = None
    idempotency_key: IdempotencyKey | None = None


class JobsQuery(BaseModel):
    """The part of a printer's jobs that is listed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Annotated[
        QueryInteger, Field(ge=1, le=MOST_JOBS_LISTED), described("The most jobs that are listed.", 50)
    ] = JOBS_LISTED
    before: Annotated[
        QueryId | None, described("Only jobs before the one with this id: the last id of the previous page.", 9)
    ] = None
