// A script as people write it: chokidar waits until a file stops growing, then the detector is asked and the result is reported.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { watch } from "chokidar";

const [folder, detectorUrl, receiverUrl] = process.argv.slice(2);

watch(folder, { ignoreInitial: true, awaitWriteFinish: true })
  .on("add", async (path) => {
    const form = new FormData();
    form.set("file", new Blob([await readFile(path)]), basename(path));
    const answer = await fetch(`${detectorUrl}/detect`, { method: "POST", body: form });
    const { detections } = await answer.json();
    if (detections.some(({ class: type }) => type === "person")) await fetch(`${receiverUrl}/?name=${encodeURIComponent(basename(path))}`);
  })
  .on("ready", () => process.stdout.write("ready\n"));
