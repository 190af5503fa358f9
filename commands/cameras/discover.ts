import { Problem } from "../../src/contract/problem.ts";
import { rowsCommand } from "../command-shapes.ts";
import { integer, seconds, text, withDefault } from "../input/options.ts";
import { readText } from "../input/read-text.ts";
import type { Io } from "../io.ts";
import { plain } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";
import { carryOut } from "./pull.ts";

/** A camera in the local network. */
interface Discovered {
  readonly number: number;
  readonly address: string;
  readonly name: string;
  readonly model: string;
  readonly snapshot_url: string | null;
  readonly stream_urls: readonly string[];
  /** The address to fetch from; null if the camera tells none. */
  readonly url: string | null;
  readonly fault: string | null;
}

const view: RowView<Discovered> = {
  plural: "cameras in the local network",
  fields: () => ["number", "address", "name", "model", "snapshot_url", "stream_urls", "url", "fault"],
  id: ({ address }) => address,
  columns: [
    { title: "NO", keep: true, cell: ({ number }) => ({ text: String(number) }) },
    { title: "ADDRESS", keep: true, cell: ({ address }) => ({ text: address }) },
    { title: "NAME", cell: ({ name, model }) => ({ text: plain([name, model].filter((part) => part !== "").join(", ")) }) },
    {
      title: "PICTURES",
      cell: ({ snapshot_url, stream_urls, fault }) =>
        fault === null ? { text: plain([snapshot_url ?? [], ...stream_urls].flat().join(" ")) } : { text: plain(fault), paint: "yellow" },
    },
  ],
};

interface Options {
  readonly timeout: number;
  readonly user: string | undefined;
  readonly password_file: string | undefined;
  readonly add: number | undefined;
  readonly name: string | undefined;
}

export const discoverCameras = rowsCommand({
  name: "cameras discover",
  summary: "Find ONVIF cameras in the local network",
  description:
    "Asks the network of this machine for ONVIF cameras, and each for the addresses of its pictures and streams. Most cameras answer only to a user of theirs; homesec never tries passwords. --add adds one of them, and homesec fetches its pictures.",
  options: {
    timeout: withDefault(seconds(1, 60, "Time to wait for answers"), 4),
    user: text("name", "User name at the cameras"),
    password_file: text("file", "File with its password, or HOMESEC_CAMERA_PASSWORD; - for stdin"),
    add: integer("number", 1, 200, "Add the camera with this number of the list"),
    name: text("name", "Display name of the added camera (default its own)"),
  },
  examples: [
    { command: "homesec cameras discover", note: "cameras with their addresses and models" },
    { command: "homesec cameras discover --user viewer --password-file pw.txt", note: "also their addresses of pictures and streams" },
    {
      command: "homesec cameras discover --user viewer --password-file pw.txt --add 2 --name Yard",
      note: "fetch pictures from the second",
    },
  ],
  view,
  async body(io, { options }) {
    if (options.name !== undefined && options.add === undefined)
      throw new Problem("invalid", "--name needs --add; give the number of a camera");
    const password = await passwordOf(io, options);
    const credentials = options.user === undefined ? undefined : { user: options.user, password: password ?? "" };
    const cameras = await discovered(io, options.timeout * 1_000, credentials);
    if (options.add !== undefined) await addOne(io, cameras, { ...options, add: options.add, password });
    return { cameras };
  },
  rows: ({ cameras }) => cameras,
});

async function passwordOf(io: Io, { user, password_file: file }: Options): Promise<string | undefined> {
  if (file !== undefined && user === undefined) throw new Problem("invalid", "--password-file needs --user; give the user name too");
  const text = file === undefined ? io.host.env["HOMESEC_CAMERA_PASSWORD"] : await readText(io.host, "--password-file", file);
  return text?.trim() || undefined;
}

async function discovered(
  io: Io,
  timeoutMs: number,
  credentials: { readonly user: string; readonly password: string } | undefined,
): Promise<readonly Discovered[]> {
  const { discoverDevices } = await import("../../src/monitoring/pulls/discovery.ts");
  const { askOnvif, bestAddress } = await import("../../src/monitoring/pulls/onvif.ts");
  const devices = await discoverDevices({ timeoutMs, signal: io.host.signal, target: targetOf(io.host.env["HOMESEC_DISCOVERY_TARGET"]) });
  return await Promise.all(
    devices.map(async ({ address, serviceUrl, name, model }, at) => {
      const { profiles, fault } = await askOnvif(serviceUrl, credentials);
      const stream_urls = profiles.flatMap(({ streamUrl }) => streamUrl ?? []);
      const snapshot_url = profiles.find(({ snapshotUrl }) => snapshotUrl !== null)?.snapshotUrl ?? null;
      return { number: at + 1, address, name, model, snapshot_url, stream_urls, url: bestAddress(profiles) ?? null, fault };
    }),
  );
}

/** Asks one address instead of the whole network, for networks without multicast: `192.168.1.64`, or with a port. */
function targetOf(text: string | undefined): { readonly address: string; readonly port: number } | undefined {
  const [, address, port = "3702"] = /^([\d.]+)(?::(\d{1,5}))?$/.exec(text ?? "") ?? [];
  return address === undefined ? undefined : { address, port: Number(port) };
}

async function addOne(
  io: Io,
  cameras: readonly Discovered[],
  { add, name, user, password }: Options & { readonly add: number; readonly password: string | undefined },
): Promise<void> {
  const found = cameras[add - 1];
  if (!found)
    throw new Problem("not_found", `there is no camera ${add} in the list of ${cameras.length}; run \`homesec cameras discover\` again`);
  if (found.url === null)
    throw new Problem("conflict", `camera ${add} tells no address: ${found.fault ?? "it offers no pictures and no stream"}`);
  const camera = await io.call("createCamera", { body: { name: name ?? (found.name || `Camera ${found.address}`) } });
  await carryOut(io, camera, { body: { url: found.url, username: user, password } });
  io.output.note(plain(`camera ${camera.camera_id} added; homesec fetches its pictures from ${found.url}`));
}
