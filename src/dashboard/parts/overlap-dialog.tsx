import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice, type ErrorNoticeProps } from './error-notice.tsx';
import { Select } from './field.tsx';
import { readForm } from './read-form.ts';

type OverlapDialogProps = Required<Pick<ErrorNoticeProps, 'error' | 'operation'>> & {
  readonly title: string;
  readonly description: string;
  /** Of the choice. */
  readonly label: string;
  readonly hint: string;
  /** Text of the button that replaces it. */
  readonly action: string;
  /** The longest time to choose, in days. */
  readonly maxDays: number;
  readonly isBusy: boolean;
  readonly onReplace: (overlapSeconds: number) => void;
  readonly onClose: () => void;
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

/** Asks when the old one of two secrets ends; a day is chosen at first. */
export function OverlapDialog({ title, description, onClose, ...choice }: OverlapDialogProps) {
  const { label, hint, action, maxDays, isBusy, onReplace, error, operation } = choice;
  const options = OVERLAPS.filter(({ seconds }) => seconds <= maxDays * DAY);
  return (
    <Dialog title={title} description={description} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onReplace(Number(readForm(event.currentTarget, 'overlap')));
        }}
      >
        <Select
          name="overlap"
          label={label}
          hint={hint}
          options={options.map(({ seconds, text }) => ({ value: String(seconds), text }))}
          defaultValue={String(DAY)}
        />
        <ErrorNotice error={error} operation={operation} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
