import type { z } from "zod";
import type { Silence, silenceRoutes } from "../routes/silences.ts";
import { camera, cameraId } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";
import { silenceId } from "./ids.ts";
import { listOf } from "./page.ts";

const silence = {
  id: silenceId,
  camera_id: cameraId,
  camera_name: camera.name,
  rule_id: null,
  rule_name: null,
  reason: "The painters are here",
  status: "active",
  created_at: "2026-02-01T08:00:00.000Z",
  ends_at: "2026-02-01T10:00:00.000Z",
  ended_at: null,
  held_back: 3,
} satisfies z.input<typeof Silence>;

export const silenceExamples = {
  listSilences: { reply: listOf(silence) },
  createSilence: {
    body: { camera_id: cameraId, duration_seconds: 7200, reason: silence.reason },
    reply: { ...silence, held_back: 0 },
  },
  getSilence: { reply: silence },
  endSilence: { reply: { ...silence, status: "ended", ended_at: "2026-02-01T08:30:00.000Z" } },
} satisfies ExamplesOf<typeof silenceRoutes>;
