import type { z } from "zod";
import type { SelftestReply, selftestStages } from "../../contract/routes/system-selftest.ts";

/** The result of a self-test. */
export type SelftestReport = z.output<typeof SelftestReply>;
export type SelftestStage = (typeof selftestStages)[number];
