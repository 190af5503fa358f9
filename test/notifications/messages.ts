import type { AlertFacts, Message } from "../../src/notifications/facts.ts";

/** A message about a person at the gate at 23:30 in Berlin. */
export function message(alert: Partial<AlertFacts> = {}, rest: Partial<Message> = {}): Message {
  return {
    notificationId: "11111111-2222-4333-8444-555555555555",
    heldBack: undefined,
    createdAt: new Date("2026-07-01T21:31:00Z"),
    late: undefined,
    ...rest,
    alert: {
      alertId: "99999999-2222-4333-8444-555555555555",
      status: "pending",
      severity: "high",
      dedupKey: "gate:rule",
      ruleName: "Somebody at night",
      matchedConditions: ["risk_score >= 60", "object_type in [person]"],
      raisedAt: new Date("2026-07-01T21:31:00Z"),
      cameraId: "gate",
      cameraName: "The Gate",
      eventId: 17,
      eventKind: "event",
      incidentEndedAt: null,
      startedAt: new Date("2026-07-01T21:30:00Z"),
      endedAt: new Date("2026-07-01T21:30:45Z"),
      riskScore: 72,
      riskLevel: "high",
      summary: "A person at the gate.",
      reasoning: "It is night.",
      objectTypes: ["person", "dog"],
      detectionId: 5,
      ...alert,
    },
  };
}
