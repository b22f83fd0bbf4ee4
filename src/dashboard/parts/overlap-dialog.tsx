import { Select } from './field.tsx';
import { FormDialog, type FormDialogProps } from './form-dialog.tsx';
import { readForm } from './read-form.ts';

type OverlapDialogProps = Pick<
  FormDialogProps,
  'title' | 'description' | 'action' | 'call' | 'operation' | 'onClose'
> & {
  /** The label of the choice. */
  readonly label: string;
  readonly hint: string;
  /** The longest time to choose, in days. */
  readonly maxDays: number;
  readonly onReplace: (overlapSeconds: number) => void;
};

const HOUR = 3_600;
const DAY = 24 * HOUR;

const OVERLAPS = [
  { seconds: 0, text: 'At once' },
  { seconds: HOUR, text: 'In an hour' },
  { seconds: DAY, text: 'In a day' },
  { seconds: 7 * DAY, text: 'In a week' },
  { seconds: 30 * DAY, text: 'In 30 days' },
];

/** Asks when the old of two secrets expires; the default is a day. */
export function OverlapDialog({ label, hint, maxDays, onReplace, ...dialog }: OverlapDialogProps) {
  const options = OVERLAPS.filter(({ seconds }) => seconds <= maxDays * DAY);
  return (
    <FormDialog {...dialog} onSubmit={(form) => onReplace(Number(readForm(form, 'overlap')))}>
      <Select
        name="overlap"
        label={label}
        hint={hint}
        options={options.map(({ seconds, text }) => ({ value: String(seconds), text }))}
        defaultValue={String(DAY)}
      />
    </FormDialog>
  );
}
