import { useState } from "react";
import { useSearchParams } from "wouter";
import type { z } from "zod";
import { explainRoutes } from "../../../src/contract/routes/explain.ts";
import { type Image, imageRoutes } from "../../../src/contract/routes/images.ts";
import { useReply } from "../../api/use-reply.ts";
import { CheckField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Ago } from "../../texts/format.tsx";
import { Steps } from "../event/explanation.tsx";

type ImageRecord = z.output<typeof Image>;

const colours = {
  pending: "text-soft",
  deferred: "text-medium",
  processed: "text-good",
  skipped: "text-medium",
  failed: "text-critical",
} as const;

/** The latest files of a camera with what became of each. `?files=bad` shows only those that were left out or failed. */
export function Files({ cameraId }: { readonly cameraId: string }) {
  const { cameras } = useAdminTexts();
  const [address, setAddress] = useSearchParams();
  const isBad = address.get("files") === "bad";
  const query = { camera_id: [cameraId], limit: 8, ...(isBad && { status: ["skipped" as const, "failed" as const] }) };
  const files = useReply(imageRoutes.listImages, { query }, { everyMs: 5_000 });
  return (
    <Section title={cameras.files}>
      <CheckField
        label={cameras.onlyBad}
        checked={isBad}
        onChecked={(isOn) => setAddress(isOn ? { files: "bad" } : {}, { replace: true })}
      />
      <Loaded reply={files} waiting={<div className="h-40" />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-soft">{isBad ? cameras.noBadFiles : cameras.noFiles}</p>
          ) : (
            <ul className="rounded-xl border border-line bg-card px-4">
              {items.map((image) => (
                <li key={image.id} className="border-b border-line py-2 last:border-0">
                  <Row image={image} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function Row({ image: { id, path, status, detail, detection_count, found_at } }: { readonly image: ImageRecord }) {
  const { cameras } = useAdminTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p className="flex flex-wrap justify-between gap-x-3">
        <span className="font-mono text-sm break-all" title={path}>
          {path.split("/").at(-1)}
        </span>
        <Ago time={found_at} className="text-sm text-soft" />
      </p>
      <p className="text-sm">
        <span className={`font-medium ${colours[status]}`}>{cameras.file[status]}</span>
        {status === "processed" && ` · ${cameras.found(detection_count)}`}
      </p>
      {detail !== null && (
        <p className="text-sm break-words text-soft">
          <DaemonText>{detail}</DaemonText>
        </p>
      )}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="min-h-11 py-2 text-sm text-accent">{cameras.explain}</summary>
        {isOpen && <Explained imageId={id} />}
      </details>
    </>
  );
}

function Explained({ imageId }: { readonly imageId: number }) {
  const explanation = useReply(explainRoutes.explainImage, { params: { image_id: imageId } });
  return <Loaded reply={explanation}>{(data) => <Steps {...data} />}</Loaded>;
}
