import { access } from "node:fs/promises";
import { join } from "node:path";
import { hasFfmpeg } from "../../../monitoring/images/video.ts";
import { createNvidiaSmi, NvidiaSmiAbsent } from "../../gpu/nvidia-smi.ts";
import { type Check, finding, notPossible, ok, skipped } from "../check.ts";
import { videosWait } from "../doctor-repository.ts";
import { reasonOf } from "../wording.ts";

const gpuMs = 5_000;

const ffmpeg: Check = {
  id: "ffmpeg",
  group: "program",
  title: "ffmpeg",
  severity: "error",
  finds: "Cameras upload videos, and ffmpeg, which reads them, is not installed or does not run",
  remedy: "apt-get install ffmpeg, and restart homesec",
  async run(examination) {
    const { ffmpeg: command, hostName } = examination.machine;
    const runsHere = await hasFfmpeg(command);
    const wait = await examination.rows().then((db) => db.query(videosWait), notPossible);
    // the machine that looks at videos may be another one; it is named where they wait
    const elsewhere = wait?.detail && !wait.detail.includes(`machine ${hostName}.`) ? wait.detail : undefined;
    if (elsewhere !== undefined)
      return finding(
        `Cameras upload videos, and nothing is seen in some: ${elsewhere}`,
        "Restart homesec on that machine then; they are taken up",
      );
    if (runsHere) return ok("runs");
    if (!wait) return skipped("ffmpeg does not run here; only videos need it, and none is known to wait");
    return finding(
      "Cameras upload videos, and ffmpeg is not installed: nothing is seen in them",
      "sudo apt-get install ffmpeg, then restart homesec; the videos are taken up by themselves",
    );
  },
};

const nvidiaSmi: Check = {
  id: "nvidia-smi",
  group: "program",
  title: "Graphics card",
  severity: "warning",
  finds: "There is an NVIDIA driver, but nvidia-smi is missing, fails or hangs: the figures of the card are empty",
  remedy: "Install the tools of the driver's own version, or restart the machine after an update of the driver",
  async run({ machine }, signal) {
    try {
      const xml = await createNvidiaSmi({ command: machine.nvidiaSmi, timeoutMs: gpuMs }).ask(signal);
      return ok(/<product_name>([^<]*)</.exec(xml)?.[1] ?? "answers");
    } catch (error) {
      const hasDriver = await access(join(machine.proc, "driver", "nvidia")).then(
        () => true,
        () => false,
      );
      // a folder on the path that this user may not enter says the same
      if (error instanceof NvidiaSmiAbsent || (error as NodeJS.ErrnoException).code === "EACCES") {
        if (!hasDriver) return skipped("this machine has no NVIDIA card, or no driver for it");
        return finding(
          "There is an NVIDIA driver, but nvidia-smi is not installed",
          "Install it: sudo apt-get install nvidia-smi, in the version of the driver",
        );
      }
      return finding(
        `nvidia-smi does not work: ${reasonOf(error)}`,
        "Run nvidia-smi by hand and read what it says; after an update of the driver, restart the machine",
      );
    }
  },
};

export const toolChecks: readonly Check[] = [ffmpeg, nvidiaSmi];
