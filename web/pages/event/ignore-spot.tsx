import { useState } from "react";
import { maskRoutes } from "../../../src/contract/routes/masks.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { className } from "../../parts/names.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Thumbnail } from "../../parts/thumbnail.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import type { Found, Picture } from "./pictures.ts";

interface IgnoreSpotProps {
  readonly picture: Picture;
  readonly onEnd: () => void;
}

/** What a mask for something in the picture would have hidden, and the button that makes it. */
export default function IgnoreSpot({ picture, onEnd }: IgnoreSpotProps) {
  const texts = useTexts();
  const { ignore } = useMoreTexts();
  const attempt = useAttempt();
  const objects = picture.objects.flatMap((found) => (found.id === undefined ? [] : [{ ...found, id: found.id }]));
  const [id, setId] = useState(objects[0]?.id ?? 0);
  const params = { detection_id: id };
  const tried = useReply(maskRoutes.tryMask, { params });
  const create = useAction(maskRoutes.createMask, [maskRoutes.listMasks]);
  const make = async (): Promise<void> => {
    if (await attempt(create.run({ params }), ignore.done)) onEnd();
  };
  return (
    <>
      <p className="mb-3 text-soft">{ignore.hint}</p>
      {objects.length > 1 && <Choice objects={objects} chosen={id} onChoose={setId} />}
      <Loaded reply={tried} waiting={<div className="min-h-40" />}>
        {({ object_type, detection_count, event_count, days, examples }) => (
          <>
            <p className="mb-3 font-medium">{ignore.would(className(texts, object_type), detection_count, event_count, days)}</p>
            <div className="mb-4 grid grid-cols-3 gap-2">
              {examples.map((example) => (
                <Thumbnail key={example.id} of={example} alt={ignore.example(className(texts, example.object_type))} />
              ))}
            </div>
          </>
        )}
      </Loaded>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onEnd}>{texts.common.cancel}</Button>
        <Button look="main" isBusy={tried.data === undefined || create.isRunning} onClick={() => void make()}>
          {ignore.button}
        </Button>
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly objects: readonly (Found & { readonly id: number })[];
  readonly chosen: number;
  readonly onChoose: (id: number) => void;
}

function Choice({ objects, chosen, onChoose }: ChoiceProps) {
  const texts = useTexts();
  const format = useFormat();
  const { ignore } = useMoreTexts();
  return (
    <fieldset className="mb-3">
      <legend className="font-medium">{ignore.which}</legend>
      {objects.map(({ id, object_type, confidence }) => (
        <label key={id} className="flex min-h-11 items-center gap-2">
          <input type="radio" name="spot" checked={id === chosen} onChange={() => onChoose(id)} />
          {className(texts, object_type)} <span className="text-sm text-soft">{format.percent(confidence)}</span>
        </label>
      ))}
    </fieldset>
  );
}
