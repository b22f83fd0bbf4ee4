import { useMutation } from '@tanstack/react-query';
import type { ApiKey } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { OverlapDialog } from '../../parts/overlap-dialog.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';

type RotateKeyDialogProps = {
  readonly apiKey: ApiKey;
  readonly onRotated: (name: string, apiKey: string) => void;
  readonly onClose: () => void;
};

/** Replaces a key by one with the same name and rules. The old one goes on working for as long as is chosen. */
export function RotateKeyDialog({ apiKey, onRotated, onClose }: RotateKeyDialogProps) {
  const withFreshFactor = useFreshCall();
  const rotate = useMutation({
    mutationFn: (overlap_seconds: number) =>
      withFreshFactor(() => account.rotateKey(apiKey.key_id, { overlap_seconds })),
    onSuccess: ({ name, api_key }) => onRotated(name, api_key),
  });
  return (
    <OverlapDialog
      title={`Rotate ${apiKey.name}`}
      description="A new key with the same name and rules replaces it."
      label="The old key stops working"
      hint="Both work until then, so that you can replace it without a break."
      action="Rotate"
      maxDays={30}
      call={rotate}
      operation={['API keys', 'rotateKey']}
      onReplace={rotate.mutate}
      onClose={onClose}
    />
  );
}
