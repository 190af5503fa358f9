import { rootsOf } from "../../src/monitoring/cameras/roots.ts";
import { mostPulledBytes } from "../../src/monitoring/pulls/pulled-picture.ts";
import type { WorkerContext } from "../pipeline/worker-context.ts";
import type { Loop } from "../workers/loop.ts";
import { createInbox } from "./inbox.ts";
import { createPuller } from "./pull/puller.ts";

/** Creates the worker that fetches pictures from cameras. A kept picture goes into the camera's folder, into a folder for its day. */
export function createPulling({ context }: WorkerContext): Loop {
  const { db, clock, config, sealer } = context;
  const inbox = createInbox({ roots: rootsOf(config), mostBytes: mostPulledBytes });
  return createPuller({
    ...{ db, clock, sealer, log: context.log.child({ part: "pull" }) },
    keep: async (pull, { bytes, at, ending }) => {
      const upload = await inbox.begin(pull);
      try {
        await upload.write(bytes);
      } catch (error) {
        await upload.discard();
        throw error;
      }
      const [day = "", time = ""] = at.toISOString().split("T");
      await upload.finish(`pull-${day.replaceAll("-", "")}T${time.replaceAll(":", "")}.${ending}`, [day]);
    },
  });
}
