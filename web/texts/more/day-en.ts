/** Texts of the summary of a day, in English. */
export const daySummary = {
  title: "Summary of the day",
  seen: "Seen",
  nothing: "Nothing",
  events: (count: number) => (count === 1 ? "1 event" : `${count} events`),
  alerts: "Alerts",
  alertCounts: ({ total, open, acknowledged, dismissed }: Record<"total" | "open" | "acknowledged" | "dismissed", number>) =>
    total === 0 ? "None" : `${total}: ${open} open, ${acknowledged} acknowledged, ${dismissed} dismissed`,
  hidden: "Hidden",
  hiddenCounts: ({ silenced, masked, parked }: Record<"silenced" | "masked" | "parked", number>) =>
    `Muted by silences: ${silenced}. Detections at ignored spots: ${masked}, of parked vehicles: ${parked}.`,
  problems: "Camera problems",
  noProblems: "None",
  span: (from: string, to: string | undefined) => (to === undefined ? `since ${from}` : `${from} to ${to}`),
  pending: "Waiting now",
  pendingCounts: ({ pictures, judgements, messages, failed }: Record<"pictures" | "judgements" | "messages" | "failed", number>) =>
    pictures + judgements + messages + failed === 0
      ? "Nothing"
      : `Pictures: ${pictures}. Events without a score: ${judgements}. Messages: ${messages}. Failed: ${failed}.`,
};

/** Texts of the page of a day, in English. */
export const day = {
  previous: "The day before",
  next: "The day after",
  choose: "Day",
  timeline: "Events of the day by time",
  lane: (camera: string, events: number) => `${camera}: ${events === 1 ? "1 event" : `${events} events`}`,
  summary: (events: number, isToday: boolean) =>
    events === 0 ? `No events ${isToday ? "yet today" : "on this day"}.` : events === 1 ? "1 event." : `${events} events.`,
  clockChange: (hours: number) => `The clocks change: this day has ${hours} hours.`,
  cluster: (events: number, from: string, to: string, verdict: string) => `${events} events from ${from} to ${to}, highest: ${verdict}`,
  silent: "no pictures",
  gaps: "Without pictures",
  gap: (from: string, to: string | undefined) => (to === undefined ? `no picture since ${from}` : `no pictures from ${from} to ${to}`),
  preview: "Preview",
  hint: "A shape is an event: tap it to open it. A number stands for several events: tap it to see them here.",
  keys: "The keys j and k go from event to event.",
  unknown: "no record of its pictures",
  unknownUntil: (time: string) => `no record of its pictures before ${time}`,
};
