import { useMutation } from '@tanstack/react-query';
import type { ApiKey } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';

type RotateKeyDialogProps = {
  readonly apiKey: ApiKey;
  readonly onRotated: (name: string, apiKey: string) => void;
  readonly onClose: () => void;
};

const HOUR = 3_600;

const OVERLAPS = [
  { value: '0', text: 'At once' },
  { value: String(HOUR), text: 'In an hour' },
  { value: String(24 * HOUR), text: 'In a day' },
  { value: String(7 * 24 * HOUR), text: 'In a week' },
  { value: String(30 * 24 * HOUR), text: 'In 30 days' },
];

/** Replaces a key by one with the same name and rules. The old one goes on working for as long as is chosen. */
export function RotateKeyDialog({ apiKey, onRotated, onClose }: RotateKeyDialogProps) {
  const withFreshFactor = useFreshCall();
  const rotate = useMutation({
    mutationFn: (overlap_seconds: number) =>
      withFreshFactor(() => account.rotateKey(apiKey.key_id, { overlap_seconds })),
    onSuccess: ({ name, api_key }) => onRotated(name, api_key),
  });
  return (
    <Dialog
      title={`Rotate ${apiKey.name}`}
      description="A new key with the same name and rules replaces it."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          rotate.mutate(Number(readForm(event.currentTarget, 'overlap')));
        }}
      >
        <Select
          name="overlap"
          label="The old key stops working"
          hint="Both work until then, so that you can replace it without a break."
          options={OVERLAPS}
          defaultValue={String(24 * HOUR)}
        />
        <ErrorNotice error={rotate.error} operation={['API keys', 'rotateKey']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={rotate.isPending}>
            Rotate
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
