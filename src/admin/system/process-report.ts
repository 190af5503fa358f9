import { z } from "zod";
import { circuitStates } from "../../contract/routes/system-health.ts";
import { upstreamNames } from "../../work/operations/upstream-state.ts";

const Time = z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() });
const Name = z.enum(upstreamNames);

/** What a daemon says of itself to those that share its database, so that any of them can answer for all. */
export const ProcessReport = z.object({
  /** Workers that should run here and do not. */
  stopped: z.array(z.object({ name: z.string(), message: z.string().nullable() })),
  /** Of the services that it asks. */
  breakers: z.array(
    z.object({
      name: Name,
      state: z.enum(circuitStates),
      failure_count: z.int(),
      last_failure: Time.nullable(),
      last_success: Time.nullable(),
      reset_at: Time.nullable(),
    }),
  ),
  /** Services that are built in and run beside it: why one cannot be asked, null when it can. */
  builtIn: z.array(z.object({ name: Name, fault: z.string().nullable() })),
  /** Of the daemon whose file watcher runs. */
  watcher: z
    .object({
      cameraRoot: z.string(),
      watchMode: z.enum(["notify", "polling"]),
      pending: z.int(),
      stuck: z.array(z.object({ path: z.string(), reason: z.string(), since: Time })),
    })
    .nullable(),
  /** Below which it finds the pictures of cameras; none without the role. */
  roots: z.array(z.string()),
  /** Tells its key file from others without telling anything of it; null while it has not been read. */
  key: z.string().nullable(),
});
export type ProcessReport = z.output<typeof ProcessReport>;
