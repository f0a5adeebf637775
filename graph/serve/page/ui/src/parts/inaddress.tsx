// Fields whose values stand in the address.
import { useEffect, useId, useState } from "preact/hooks";
import { Field } from "../core/ui.tsx";
import { inAddress, setInAddress } from "./address.ts";

interface InAddressProps {
  name: string; // in the address
  label: string;
  placeholder?: string;
}

// TextInAddress goes into the address when it is left, or with Enter.
export function TextInAddress({ name, label, placeholder }: InAddressProps) {
  const stands = inAddress(name);
  const [value, setValue] = useState(stands);
  useEffect(() => setValue(stands), [stands]);
  const put = () => { if (value.trim() !== stands) setInAddress({ [name]: value.trim() }, false); };
  return (
    <div class="field" onFocusOut={put} onKeyDown={(e) => { if (e.key === "Enter") put(); }}>
      <Field label={label} value={value} onInput={setValue} {...(placeholder ? { placeholder } : {})} />
    </div>
  );
}

export function DayInAddress({ name, label }: InAddressProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} type="date" value={inAddress(name)} onChange={(e) => setInAddress({ [name]: e.currentTarget.value })} />
    </div>
  );
}
