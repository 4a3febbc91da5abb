"""Actions as OpenTelemetry spans. Needs a running service (npm ci && npm start) and pip install opentelemetry-sdk"""

import os

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from deputize import Deputy, with_authority
from deputize.opentelemetry import OpenTelemetry

# Your program already has this part, with an exporter for your tracing backend.
exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("example")

with Deputy(os.environ.get("DEPUTY_URL", "http://127.0.0.1:8420"), tracing=OpenTelemetry()) as deputy:
    token = deputy.issue_l1(
        developer_email="dev@example.com", agent_id="calendar-bot", resources=["calendar:events"], actions=["read"]
    )
    wanted = {"vat_jti": token["jti"], "action": "read", "resource": "calendar:events", "tool": "list_events"}

    with tracer.start_as_current_span("plan my day"):
        with with_authority(deputy, **wanted) as action:
            with tracer.start_as_current_span("ask the calendar"):  # a child span of the action
                action.hash(["stand-up"])

    for span in exporter.get_finished_spans():
        print(f"{span.context.trace_id:032x} {span.name}")
    print(f"the record: {deputy.get_record(action.aar_id)['trace_id']}")
