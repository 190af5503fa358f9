import type { KeyRole } from "../../../../src/contract/constants.ts";
import { keyRoles } from "../../../../src/contract/constants.ts";
import { cameraRoutes } from "../../../../src/contract/routes/cameras.ts";
import { useReply } from "../../../api/use-reply.ts";
import { CheckField, SelectField, TextField } from "../../../parts/fields.tsx";
import { everyCamera } from "../../../parts/names.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";

/** Who gets access, and to what. */
export interface Who {
  readonly name: string;
  readonly role: KeyRole;
  readonly cameras: readonly string[];
}

/** A resident without a name. */
export const someone: Who = { name: "", role: "resident", cameras: [] };

/** Returns the body of a request; only a guest is limited to cameras. */
export function bodyOf({ name, role, cameras }: Who) {
  return { name: name.trim(), role, ...(role === "guest" && { camera_ids: [...cameras] }) };
}

/** The fields for the name, the role, and the cameras of a guest. */
export function WhoFields({ who, example, onChange }: { who: Who; example: string; onChange: (who: Who) => void }) {
  const { keys } = useAdminTexts();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const toggle = (id: string, isOn: boolean): void =>
    onChange({ ...who, cameras: isOn ? [...who.cameras, id] : who.cameras.filter((each) => each !== id) });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          name="name"
          label={keys.name}
          placeholder={example}
          required
          maxLength={64}
          autoComplete="off"
          value={who.name}
          onText={(name) => onChange({ ...who, name })}
        />
        <SelectField
          label={keys.may}
          hint={keys.roleHint[who.role]}
          value={who.role}
          options={keyRoles.map((role) => [role, keys.role[role]] as const)}
          onValue={(role) => onChange({ ...who, role })}
        />
      </div>
      {who.role === "guest" && (
        <fieldset>
          <legend className="text-sm font-medium">{keys.cameras}</legend>
          {data?.cameras.map(({ camera_id, name }) => (
            <CheckField
              key={camera_id}
              label={name}
              checked={who.cameras.includes(camera_id)}
              onChecked={(isOn) => toggle(camera_id, isOn)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
}
