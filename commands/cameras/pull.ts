import { Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { number, seconds, text } from "../input/options.ts";
import { readText } from "../input/read-text.ts";
import type { Io } from "../io.ts";
import type { Cell } from "../output/table.ts";
import { ago, plain, sizeText, type TerminalFormat } from "../output/terminal-format.ts";
import type { View } from "../output/view.ts";
import type { Camera } from "./view.ts";

type Pull = ReplyOf<"getCameraPull">;

/** The word for --pull that ends it. */
const off = "off";

/** The options of fetching pictures, for new and for known cameras. */
export const pullOptions = {
  pull: text("address", "Fetch pictures from this http or rtsp address; - for stdin, off to stop"),
  every: seconds(0.5, 3_600, "Interval of fetching (default 2s)"),
  threshold: number("percent", 0, 100, "Change that keeps a picture; 0 keeps all (default 0.3)"),
  user: text("name", "User name at the camera"),
  password_file: text("file", "File with its password, or HOMESEC_CAMERA_PASSWORD; - for stdin"),
};

type PullInput = { readonly [K in keyof typeof pullOptions]: ReturnType<(typeof pullOptions)[K]["read"]> };

/** Splits the options of a command into those of fetching pictures and the others. */
export function splitPull<T extends PullInput>({ pull, every, threshold, user, password_file, ...camera }: T) {
  const options = { pull, every, threshold, user, password_file };
  return { camera, pull: Object.values(options).some((value) => value !== undefined) ? options : undefined };
}

/** What to do about the pictures of a camera. `body` is undefined if they are no longer to be fetched. */
export interface PullPlan {
  readonly body:
    | {
        readonly url: string | undefined;
        readonly every_seconds?: number | undefined;
        readonly threshold_percent?: number | undefined;
        readonly username?: string | undefined;
        readonly password?: string | undefined;
      }
    | undefined;
}

/** Reads the address and the password, and checks them before anything changes. Throws `Problem("invalid")`. */
export async function planPull(io: Io, { pull, every, threshold, user, password_file: file }: PullInput): Promise<PullPlan> {
  if (pull === off) {
    if ([every, threshold, user, file].some((value) => value !== undefined))
      throw new Problem("invalid", "--pull off takes no other options of fetching pictures; remove them");
    return { body: undefined };
  }
  if (pull === "-" && file === "-") throw new Problem("invalid", "--pull and --password-file cannot both read stdin; put one into a file");
  const url = pull === "-" ? (await readText(io.host, "--pull", "-")).trim() : pull;
  if (url !== undefined) {
    const { parsePullAddress } = await import("../../src/monitoring/pulls/address.ts");
    const address = parsePullAddress(url);
    if (typeof address === "string") throw new Problem("invalid", `--pull: ${address}`);
  }
  const password = file === undefined ? io.host.env["HOMESEC_CAMERA_PASSWORD"] : await readText(io.host, "--password-file", file);
  const settings = { every_seconds: every, threshold_percent: threshold, username: user, password: password?.trim() || undefined };
  return { body: { url, ...settings } };
}

/** Carries out a plan, and says with one picture whether it works. */
export async function carryOut(io: Io, { camera_id, name }: Camera, { body }: PullPlan): Promise<void> {
  const params = { camera_id };
  if (!body) {
    await io.call("deleteCameraPull", { params });
    return io.output.note(`homesec no longer fetches pictures from ${camera_id}`);
  }
  const url = body.url ?? (await io.call("getCameraPull", { params })).url;
  await io.call("setCameraPull", { params, body: { ...body, url } });
  const { works, fault, width, height, bytes, ms } = await io.call("testCameraPull", { params });
  if (works) io.output.note(plain(`${name} works: ${width} x ${height}, ${sizeText(bytes ?? 0)} in ${(ms / 1_000).toFixed(1)} s`));
  else io.output.note(plain(`no picture from ${name} yet: ${fault}. homesec keeps trying`));
  const { substreamOf } = await import("../../src/monitoring/pulls/address.ts");
  const small = substreamOf(url);
  if (small !== undefined)
    io.output.note(plain(`this looks like the large stream; the small one costs less processor time: --pull ${small}`));
}

/** The pull of a camera; undefined if there is none, or if this user may not see it. */
export async function pullOf(io: Io, { camera_id, deleted_at }: Camera): Promise<Pull | undefined> {
  if (deleted_at !== null || io.output.format !== "table" || io.output.fields !== undefined) return undefined;
  try {
    return await io.call("getCameraPull", { params: { camera_id } });
  } catch (error) {
    if (error instanceof Problem && (error.kind === "not_found" || error.kind === "forbidden")) return undefined;
    throw error;
  }
}

/** The view with the lines of a pull. */
export function pullView(view: View<Camera>, pull: Pull | undefined): View<Camera> {
  if (!pull) return view;
  return { ...view, details: (record, terminal) => [...view.details(record, terminal), ...pullLines(pull, terminal)] };
}

function pullLines(pull: Pull, terminal: TerminalFormat): readonly (readonly [string, Cell])[] {
  const { url, username, every_seconds, threshold_percent, fault, cpu_percent, memory_bytes } = pull;
  const cost = [
    cpu_percent === null ? "not measured yet" : `${cpu_percent} % of a core`,
    ...(memory_bytes === null ? [] : [`${sizeText(memory_bytes)} for ffmpeg`]),
  ];
  return [
    ["fetched from", { text: plain(username === null ? url : `${url} as ${username}`) }],
    ["interval", { text: `${every_seconds} s, kept if ${threshold_percent} % changed` }],
    ["fetched", { text: `${pull.seen_count} pictures, ${pull.kept_count} kept, last ${ago(terminal, pull.last_picture_at)}` }],
    ["processor", { text: cost.join(", ") }],
    ...(fault === null ? [] : [["fault", { text: plain(`${fault} (since ${ago(terminal, pull.failing_since)})`), paint: "red" }] as const]),
  ];
}
