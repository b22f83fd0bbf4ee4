import { type ComponentProps, useId } from 'react';

type FieldProps = ComponentProps<'input'> & {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** The fault of the value. */
  readonly problem?: string | undefined;
};

/** A text field with its label, a hint, and its fault. */
export function Field({ label, hint, problem, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        type="text"
        {...input}
        id={id}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-note`}
      />
      <Note id={`${id}-note`} hint={hint} problem={problem} />
    </div>
  );
}

type TextAreaProps = ComponentProps<'textarea'> & Pick<FieldProps, 'label' | 'hint' | 'problem'>;

/** Several lines of text. */
export function TextArea({ label, hint, problem, ...area }: TextAreaProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        rows={3}
        {...area}
        id={id}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-note`}
      />
      <Note id={`${id}-note`} hint={hint} problem={problem} />
    </div>
  );
}

type SelectProps = ComponentProps<'select'> &
  Pick<FieldProps, 'label' | 'hint'> & {
    readonly options: readonly { readonly value: string; readonly text: string }[];
  };

/** One of several values. */
export function Select({ label, hint, options, ...select }: SelectProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id} aria-describedby={`${id}-note`}>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <Note id={`${id}-note`} hint={hint} problem={undefined} />
    </div>
  );
}

function Note({
  id,
  hint,
  problem,
}: {
  readonly id: string;
  readonly hint: string | undefined;
  readonly problem: string | undefined;
}) {
  return (
    <p id={id} className={problem === undefined ? 'field-hint' : 'field-problem'}>
      {problem ?? hint}
    </p>
  );
}
