import type { AlertFacts, AlertMessage, SilenceMessage } from "../../../src/alerting/delivery/message.ts";

/** A message about a person at the gate at 23:30 in Berlin. */
export function message(alert: Partial<AlertFacts> = {}, rest: Partial<AlertMessage> = {}): AlertMessage {
  return {
    notificationId: "11111111-2222-4333-8444-555555555555",
    joined: [],
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
      lateSeconds: null,
      cameraId: "gate",
      cameraName: "The Gate",
      eventId: 17,
      trace: "77777777-2222-4333-8444-555555555555",
      eventKind: "event",
      incidentEndedAt: null,
      startedAt: new Date("2026-07-01T21:30:00Z"),
      endedAt: new Date("2026-07-01T21:30:45Z"),
      analysisStatus: "completed",
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

/** A message about a silence of the gate from 22:00 to midnight in Berlin, which hid two alerts. */
export function silenceMessage(rest: Partial<SilenceMessage> = {}): SilenceMessage {
  const event = (eventId: number, riskScore: number, summary: string, ruleName: string) => ({
    ...{ eventId, cameraId: "gate", cameraName: "The Gate", riskScore, riskLevel: "high", summary, ruleName },
    ...{ eventKind: "event" as const, analysisStatus: "completed" as const, startedAt: new Date(Date.UTC(2026, 6, 1, 20, eventId)) },
  });
  return {
    notificationId: "11111111-2222-4333-8444-666666666666",
    createdAt: new Date("2026-07-01T22:00:01Z"),
    late: undefined,
    silence: {
      silenceId: "88888888-2222-4333-8444-555555555555",
      cameraId: "gate",
      cameraName: "The Gate",
      ruleId: null,
      ruleName: null,
      reason: "A party <b>tonight</b>",
      startedAt: new Date("2026-07-01T20:00:00Z"),
      endsAt: new Date("2026-07-01T22:00:00Z"),
      endedAt: new Date("2026-07-01T22:00:00Z"),
    },
    heldBack: { count: 2, events: [event(17, 72, "A person at the gate.", "Somebody at night"), event(18, 81, "", "Grave")] },
    ...rest,
  };
}
