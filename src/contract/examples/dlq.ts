import type { z } from "zod";
import type { DeadLetter, dlqRoutes } from "../routes/dlq.ts";
import { cameraId, cameraRoot } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";
import { listOf } from "./page.ts";

const letter = {
  job_id: 70_113,
  queue: "detect",
  subject: "55790",
  error: "The detector refused the picture: status 400",
  attempts: 1,
  created_at: "2026-01-30T16:22:09.480Z",
  failed_at: "2026-01-30T16:22:09.911Z",
  image: {
    image_id: 55_790,
    camera_id: cameraId,
    path: `${cameraRoot}/${cameraId}/2026-01-30_16-22-09.jpg`,
    status: "failed",
    reason: "refused",
  },
  event: null,
  delivery: null,
  notification: null,
} satisfies z.input<typeof DeadLetter>;

export const dlqExamples = {
  getDlqStats: { reply: { queues: { detect: 1, enrich: 0, analyze: 0, alert: 0, deliver: 0 }, total_count: 1 } },
  listDeadLetters: { reply: listOf(letter) },
  requeueDeadLetters: { reply: { queue: "detect", requeued: 1 } },
  purgeDeadLetters: { reply: { queue: "detect", purged: 1 } },
} satisfies ExamplesOf<typeof dlqRoutes>;
