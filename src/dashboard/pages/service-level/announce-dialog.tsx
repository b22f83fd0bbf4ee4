import { useMutation } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { ANNOUNCE_WORK } from './operations.ts';
import { describeStanding } from './work-texts.ts';

type AnnounceDialogProps = { readonly onDone: () => void; readonly onClose: () => void };

const LONGEST_MINUTES = 1_440;
const MINUTE_MS = 60_000;

/** Announces work on the server; if some of it counts towards availability, it says so before it closes. */
export function AnnounceDialog({ onDone, onClose }: AnnounceDialogProps) {
  const withFreshFactor = useFreshCall();
  const announce = useMutation({
    mutationFn: (body: Parameters<typeof account.announceWork>[0]) =>
      withFreshFactor(() => account.announceWork(body)),
    onSuccess: (work) => work.counts_because === undefined && onDone(),
  });
  if (announce.data !== undefined) {
    return (
      <Dialog title="The work is announced" description={describeStanding(announce.data)} onClose={onDone}>
        <div className="actions">
          <Button type="button" kind="primary" onClick={onDone}>
            Close
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Announce work"
      description="All accounts see it. Its minutes do not count towards availability if you announce it a day before, as far as the month has minutes for planned work."
      action="Announce"
      call={announce}
      operation={ANNOUNCE_WORK}
      onSubmit={(form) => announce.mutate(readWork(form))}
      onClose={onClose}
    >
      <Field name="start" type="datetime-local" label="Begins" hint="In your own time zone." required />
      <Field name="minutes" type="number" label="Minutes" min={1} max={LONGEST_MINUTES} step={1} required />
      <Field
        name="note"
        label="What is done"
        hint="For all accounts to read, such as: move to a larger database."
        maxLength={200}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}

function readWork(form: HTMLFormElement): Parameters<typeof account.announceWork>[0] {
  const startMs = new Date(readForm(form, 'start')).getTime();
  const endMs = startMs + Number(readForm(form, 'minutes')) * MINUTE_MS;
  return {
    starts_at: new Date(startMs).toISOString(),
    ends_at: new Date(endMs).toISOString(),
    note: readForm(form, 'note').trim(),
  };
}
