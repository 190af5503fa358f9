import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { isLong } from "./scale.ts";

const Results = z.object({ results: z.array(z.object({ id: z.number().nullable(), status: z.string() })) });

const atOnce = 3;
/** The short form posts less, so that its end is reached sooner. */
const pauseMs = isLong ? 50 : 200;

/** Keeps storing events over HTTP for a separate camera, whatever the daemon replies. `stop` returns the acknowledged events. */
export async function keepPosting(url: () => string): Promise<{ stop(): Promise<ReadonlySet<number>> }> {
  const acknowledged = new Set<number>();
  let goesOn = true;
  let n = 0;
  const send = async (path: string, body: object): Promise<Response> =>
    await fetch(`${url()}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
  await send("/api/cameras", { name: "posted" });
  const done = (async () => {
    while (goesOn) {
      const events = Array.from({ length: atOnce }, () => ({
        camera_id: "posted",
        started_at: new Date(1_767_225_600_000 + 1_000 * n++).toISOString(),
        risk_score: 70,
      }));
      try {
        const answer = await send("/api/events/bulk", { events });
        if (answer.status === 207) for (const { id } of Results.parse(await answer.json()).results) if (id !== null) acknowledged.add(id);
      } catch {
        // Killed or away: nothing was acknowledged.
      }
      await sleep(pauseMs);
    }
  })();
  return {
    stop: async () => {
      goesOn = false;
      await done;
      return acknowledged;
    },
  };
}
