import { statfs } from "node:fs/promises";

/** File systems that raise no events for changes made by other machines, by their number in statfs(2). */
const networkTypes = new Map<number, string>([
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x65735546, "fuse"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x786f4256, "vboxsf"],
]);

/** Returns the name of the network file system that holds a folder, or undefined for a local one. Throws if the folder cannot be read. */
export async function networkMount(folder: string): Promise<string | undefined> {
  return networkTypes.get((await statfs(folder)).type >>> 0);
}
