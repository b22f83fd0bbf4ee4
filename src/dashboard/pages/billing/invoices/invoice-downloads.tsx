import type { InvoiceDetails } from '../../../../../generated/account/types.ts';
import { printInvoiceCsv } from '../../../../../runtime/invoice-csv.ts';
import { Button } from '../../../parts/button.tsx';
import { saveFile } from '../../../parts/save-file.ts';

/** Buttons that save an invoice, with its credit notes, as soon as it is read. */
export function InvoiceDownloads({ details }: { readonly details: InvoiceDetails | undefined }) {
  const save = (ending: string, type: string, print: (details: InvoiceDetails) => string) => (): void => {
    if (details !== undefined) saveFile(`${details.invoice.number}.${ending}`, type, [print(details)]);
  };
  const isReading = details === undefined;
  return (
    <>
      <Button type="button" disabled={isReading} onClick={save('json', 'application/json', printJson)}>
        Download JSON
      </Button>
      <Button type="button" disabled={isReading} onClick={save('csv', 'text/csv', printInvoiceCsv)}>
        Download CSV
      </Button>
    </>
  );
}

function printJson(details: InvoiceDetails): string {
  return `${JSON.stringify(details, undefined, 2)}\n`;
}
