/** Replies of a daemon, by request. */
export type Seen = Readonly<Record<string, unknown>>;

interface Page {
  readonly items: readonly { readonly id: number | string; readonly status?: string }[];
}

const lists = [
  ...["/api/events?limit=100", "/api/events?kind=camera_health&limit=100", "/api/events/deleted", "/api/events/stats"],
  ...["/api/events/search?q=somebody&limit=100", "/api/detections?limit=100", "/api/detections/stats", "/api/detections/labels"],
  ...["/api/detections/search?q=parcel&limit=100", "/api/images?limit=100", "/api/entities", "/api/cameras", "/api/cameras/deleted"],
  ...["/api/alerts?limit=100", "/api/alerts/rules", "/api/silences", "/api/outbound-webhooks", "/api/system/config", "/api/dlq/stats"],
  ...["/api/dlq/detect", "/api/dlq/deliver", "/api/cameras/yard/scene-changes", "/api/cameras/yard/baseline/activity"],
  ...["/api/cameras/yard/baseline/classes", "/api/cameras/yard/baseline/config", "/api/cameras/yard/baseline/anomalies?days=90"],
];
const analytics = ["detection-trends", "risk-history", "object-distribution", "risk-score-distribution", "risk-score-trends"];

/** Requests everything that a person can see and that does not change meanwhile. `day`: of the evening. */
export async function whatIsSeen(url: string, day: string): Promise<Seen> {
  const seen: Record<string, unknown> = {};
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${url}${path}`);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const body = (await response.json()) as T;
    seen[path] = body;
    return body;
  };
  for (const path of lists) await ask(path);
  for (const name of analytics) await ask(`/api/analytics/${name}?start_date=${day}&end_date=${day}`);
  await ask(`/api/events/timeline-summary?start_date=${day}&end_date=${day}&bucket_size=hour`);
  const idsOf = (path: string) => (seen[path] as Page).items.map(({ id }) => id);
  for (const id of idsOf("/api/events?limit=100")) {
    await ask(`/api/events/${id}`);
    await ask(`/api/events/${id}/explain`);
  }
  for (const id of idsOf("/api/alerts?limit=100")) await ask(`/api/alerts/${id}/explain`);
  for (const id of idsOf("/api/images?limit=100")) await ask(`/api/images/${id}/explain`);
  for (const id of idsOf("/api/detections?limit=100")) await ask(`/api/detections/${id}/enrichment`);
  const { webhooks } = seen["/api/outbound-webhooks"] as { webhooks: readonly { id: string }[] };
  for (const { id } of webhooks) {
    const { deliveries } = await ask<{ deliveries: readonly { id: string }[] }>(`/api/outbound-webhooks/${id}/deliveries`);
    for (const delivery of deliveries) await ask(`/api/outbound-webhooks/deliveries/${delivery.id}`);
  }
  return seen;
}

/** The same with some words replaced. */
export function replacedIn(seen: Seen, words: Readonly<Record<string, string>>): Seen {
  let text = JSON.stringify(seen);
  for (const [word, other] of Object.entries(words)) text = text.replaceAll(word, other);
  return JSON.parse(text) as Seen;
}

/** The same without generated sentences, which a later version may word better. */
export function withoutWording(seen: Seen): Seen {
  const worded = (path: string): boolean => path.endsWith("/explain");
  return Object.fromEntries(
    Object.entries(seen).map(([path, body]) => {
      if (!worded(path)) return [path, body];
      const { outcome: _, steps, ...rest } = body as { outcome: string; steps: readonly { text: string }[] };
      return [path, { ...rest, steps: steps.map(({ text: __, ...step }) => step) }];
    }),
  );
}
