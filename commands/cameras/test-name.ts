import { localTimeZone, offsetIn } from "../../src/base/clock/time-zone.ts";
import { shellWord } from "../../src/base/text/format.ts";
import { Problem } from "../../src/contract/problem.ts";
import { automatic, fileNameTime, whyNoTemplate } from "../../src/monitoring/camera-times/file-name-time.ts";
import { instantOf } from "../../src/monitoring/camera-times/wall-time.ts";
import { type FolderSharer, inPatternOrder, sharerOf } from "../../src/monitoring/cameras/file-pattern.ts";
import { rowsCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { texts } from "../input/arguments.ts";
import { idOf, text } from "../input/options.ts";
import type { Io } from "../io.ts";
import { plain } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";
import { timeOptions } from "./time-options.ts";

/** What homesec would read from a file name. */
interface TestedName {
  readonly name: string;
  /** The template that reads it; null if none does. */
  readonly template: string | null;
  /** The time as the clock of the zone shows it, without the zone. */
  readonly local_time: string | null;
  readonly captured_at: Date | null;
  readonly time_zone: string;
  /** The camera that takes the file, of those that share the folder of --camera; null without it, and if none does. */
  readonly camera_id: string | null;
}

const view: RowView<TestedName> = {
  plural: "names",
  fields: () => ["name", "template", "local_time", "captured_at", "time_zone", "camera_id"],
  id: ({ name }) => name,
  columns: [
    { title: "NAME", keep: true, cell: ({ name }) => ({ text: name }) },
    {
      title: "TEMPLATE",
      keep: true,
      cell: ({ template }) => (template === null ? { text: "none reads it", paint: "yellow" } : { text: template }),
    },
    { title: "TIME", keep: true, cell: ({ local_time }) => ({ text: local_time?.replace("T", " ") ?? "" }) },
    { title: "CAMERA", cell: ({ camera_id }) => ({ text: camera_id ?? "" }) },
    { title: "ZONE", cell: ({ time_zone, template }) => ({ text: template === null ? "" : time_zone }) },
  ],
};

interface Settings {
  readonly timeZone: string;
  readonly template: string;
  /** The cameras of the folder of --camera, in pattern order. */
  readonly sharers: readonly FolderSharer[];
}

export const testName = rowsCommand({
  name: "cameras test-name",
  summary: "Show the time that homesec reads from file names",
  description:
    "Shows which template reads the time in the name of a file, and the time. Give the folders too if they state the day. With --camera it also shows which camera takes the file, if several share the folder. Exits with 7 if a name states no time.",
  arguments: { names: texts("File names, with their folders if these state the time") },
  options: { camera: idOf("camera", text("camera", "Use the zone and template of this camera")), ...timeOptions },
  examples: [
    { command: "homesec cameras test-name Front_01_20250314093015.jpg", note: "which built-in template reads it" },
    { command: "homesec cameras test-name '2025-03-14/001/jpg/09/30/15[M][0@0][0].jpg'", note: "with the folders of a recorder" },
    { command: "homesec cameras test-name snap-14.03.2025_0930.jpg --time-template 'snap-%d.%m.%Y_%H%M'", note: "try a pattern" },
  ],
  view,
  async body(io, { arguments: { names = [] }, options }) {
    if (names.length === 0) throw new Problem("invalid", "give the name of a file, such as Front_01_20250314093015.jpg");
    const settings = await settingsOf(io, options);
    return { names: names.map((name) => tested(name, settings, io.host.clock.now())) };
  },
  rows: ({ names }) => names,
  after: ({ output }, { names }) => {
    const unread = names.find(({ template }) => template === null)?.name;
    if (unread === undefined) return;
    const pattern = "'*_%Y%m%d_%H%M%S'";
    output.note(
      plain(
        `describe the end of the path without its ending, with * for any characters: homesec cameras test-name ${shellWord(unread)} --time-template ${pattern}`,
      ),
    );
    output.note(
      "tokens: %Y %y year, %m month, %d day, %H hour, %I %p hour of 12, %M minute, %S second, %L milliseconds, %s seconds since 1970",
    );
  },
  exitCode: ({ names }) => (names.some(({ template }) => template === null) ? exitCodes.findings : exitCodes.ok),
});

interface GivenOptions {
  readonly camera: string | undefined;
  readonly time_zone: string | null | undefined;
  readonly time_template: string | undefined;
}

/** The settings of the camera, or of a new one, with those of the command line in front. Throws `Problem("invalid")`. */
async function settingsOf(io: Io, { camera, time_zone: zone, time_template: template }: GivenOptions): Promise<Settings> {
  const wrong = template === undefined ? undefined : whyNoTemplate(template);
  if (wrong !== undefined) throw new Problem("invalid", `--time-template ${wrong}`);
  const known = camera === undefined ? undefined : await io.call("getCamera", { params: { camera_id: camera } });
  const all = known ? (await io.call("listCameras", { query: { limit: 1_000 } })).cameras : [];
  const sharers = inPatternOrder(all.filter(({ folder_path }) => folder_path === known?.folder_path));
  const timeZone = (zone === undefined ? known?.time_zone : zone) ?? localTimeZone();
  return { timeZone, template: template ?? known?.time_template ?? automatic, sharers };
}

function tested(name: string, { timeZone, template, sharers }: Settings, now: Date): TestedName {
  const found = fileNameTime(name, template);
  const common = { name, time_zone: timeZone, camera_id: sharerOf(sharers, name)?.camera_id ?? null };
  if (!found) return { ...common, template: null, local_time: null, captured_at: null };
  const at = instantOf(found.time, timeZone, now);
  const shown = new Date(at.getTime() + offsetIn(timeZone)(at.getTime()));
  return { ...common, template: found.template, local_time: shown.toISOString().slice(0, -1), captured_at: at };
}
