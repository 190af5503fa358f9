import { expect, test } from "vitest";
import { samples } from "../../../src/alerting/webhooks/samples.ts";
import type { OutboundEvent } from "../../../src/contract/outbound-events.ts";
import { emit } from "../../../src/work/outbox/outbox.ts";
import { testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { receiver } from "../../support/receiver.ts";

test("fault log: it reports a webhook's fault once, its first failed delivery, and its recovery with the number of failures", async () => {
  const [database, target] = await Promise.all([testDatabase(), receiver(() => ({ status: 500 }))]);
  const lines: { readonly level: string; readonly text: string; readonly fields: Record<string, unknown> }[] = [];
  const at = (level: string) => (fields: object, text: string) => lines.push({ level, text, fields: fields as Record<string, unknown> });
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), child: () => log };
  const daemon = await testDaemon({ env: { DATABASE_URL: database.url }, log });
  const about = (webhook: string, level: string) =>
    lines.filter((line) => line.level === level && line.fields["webhook"] === webhook).map(({ text }) => text);
  const happen = async (...numbers: readonly number[]) => {
    const events = numbers.map(
      (n): OutboundEvent => ({ type: "event_enriched", eventId: String(n), data: { ...samples.event_enriched.data, event_id: n } }),
    );
    await daemon.context.db.transaction((sql) => emit(sql, events, new Date()));
  };
  try {
    const response = await fetch(`${daemon.url}/api/outbound-webhooks`, {
      method: "POST",
      body: JSON.stringify({
        ...{ name: "Hook", url: target.url, event_types: ["event_enriched"] },
        ...{ retry_delay_seconds: 1, max_retries: 1 },
      }),
      headers: { "content-type": "application/json" },
    });
    const { id } = (await response.json()) as { id: string };
    await happen(1, 2, 3);
    // Each of the three is tried twice
    await eventually(() => about(id, "warn").length + about(id, "debug").length === 6, { what: "six attempts" });
    expect(about(id, "warn")).toEqual([
      "webhook delivery failed; retrying",
      "webhook delivery failed for good; it is in the dead letters of the queue deliver",
    ]);

    target.answerWith(() => ({ status: 200 }));
    await happen(4, 5);
    await eventually(() => about(id, "info").filter((text) => text === "webhook delivered").length === 2);
    expect(about(id, "info")).toEqual([expect.stringMatching(/^webhook works again/), "webhook delivered", "webhook delivered"]);
    expect(lines.find(({ text }) => text.startsWith("webhook works again"))?.fields).toMatchObject({ given_up: 3 });

    // The next fault is reported again
    target.answerWith(() => ({ status: 500 }));
    await happen(6);
    await eventually(() => about(id, "warn").length === 4, { what: "the fault once more" });
  } finally {
    await daemon.stop();
    await Promise.all([target.close(), database.close()]);
  }
});
