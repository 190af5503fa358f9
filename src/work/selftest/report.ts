import type { z } from "zod";
import type { SelftestReply, selftestStages } from "../../contract/routes/system-selftest.ts";

/** What a self-test found. */
export type SelftestReport = z.output<typeof SelftestReply>;
export type SelftestStage = (typeof selftestStages)[number];
