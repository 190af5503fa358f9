import { maskRoutes } from "../../../src/contract/routes/masks.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import type { CameraRecord } from "../../parts/camera-tile.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { className } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

/** The places of a camera that are ignored; nothing without one. */
export function Masks({ camera: { camera_id } }: { readonly camera: CameraRecord }) {
  const texts = useTexts();
  const format = useFormat();
  const { masks: words } = useAdminTexts().cameras;
  const attempt = useAttempt();
  const masks = useReply(maskRoutes.listMasks, { query: { camera_id } }).data?.masks ?? [];
  const remove = useAction(maskRoutes.deleteMask, [maskRoutes.listMasks]);
  if (masks.length === 0) return null;
  return (
    <Section title={words.title}>
      <p className="mb-2 text-sm text-soft">{words.hint}</p>
      <ul className="rounded-xl border border-line bg-card px-4">
        {masks.map(({ id, object_type, box, hidden_count }) => {
          const place = words.place(format.percent(box.x + box.width / 2), format.percent(box.y + box.height));
          return (
            <li key={id} className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-2 last:border-0">
              <span>
                <span className="font-medium first-letter:uppercase">{className(texts, object_type)}</span>
                <span className="block text-sm text-soft">
                  {place}, {words.hidden(hidden_count)}
                </span>
              </span>
              <ConfirmButton
                text={texts.event.remove}
                label={words.remove(className(texts, object_type), place)}
                title={words.removeTitle}
                disabled={remove.isRunning}
                onConfirm={() => void attempt(remove.run({ params: { id } }), words.removed)}
              >
                {words.removeHint}
              </ConfirmButton>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
