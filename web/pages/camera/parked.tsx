import { parkingRoutes } from "../../../src/contract/routes/parking.ts";
import { For } from "../../api/use-may.tsx";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { CheckField } from "../../parts/fields.tsx";
import { className } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { Ago } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

/** The objects that open no event because they are parked, and the switch of the camera. */
export function Parked({ cameraId }: { readonly cameraId: string }) {
  const texts = useTexts();
  const { parked: own } = useAdminTexts().cameras;
  const attempt = useAttempt();
  const params = { camera_id: cameraId };
  const parking = useReply(parkingRoutes.getCameraParking, { params });
  const set = useAction(parkingRoutes.setCameraParking, [parkingRoutes.getCameraParking]);
  return (
    <Section title={own.title}>
      <Loaded reply={parking}>
        {({ enabled, parked }) => (
          <>
            {parked.length === 0 && <p className="text-soft">{own.none}</p>}
            <ul>
              {parked.map(({ object_type, parked_since, seen_count, picture_count, box }) => (
                <li key={`${object_type} ${box.x} ${box.y}`} className="py-1">
                  {className(texts, object_type)} · <Ago time={parked_since} />{" "}
                  <span className="text-sm text-soft">{own.seen(seen_count, picture_count)}</span>
                </li>
              ))}
            </ul>
            <For who="owner">
              <CheckField
                label={own.enabled}
                hint={own.hint}
                checked={enabled}
                onChecked={(isOn) => void attempt(set.run({ params, body: { enabled: isOn } }), texts.event.saved)}
              />
            </For>
          </>
        )}
      </Loaded>
    </Section>
  );
}
