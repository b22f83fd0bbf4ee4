import { Field } from '../../parts/field.tsx';

type NumberFieldProps = {
  readonly name: string;
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly initial: number;
};

/** A whole number within bounds. */
export function NumberField({ name, label, from, to, initial }: NumberFieldProps) {
  return (
    <Field
      name={name}
      label={label}
      type="number"
      inputMode="numeric"
      min={from}
      max={to}
      step={1}
      defaultValue={initial}
      required
    />
  );
}
