import { useState } from 'react';
import { Field, Select } from '../../parts/field.tsx';
import { type Span, SPANS, type SpanId, spanBetween, spanOf } from './span.ts';

const OPTIONS = [
  ...SPANS.map(({ id, title }) => ({ value: id, text: title })),
  { value: 'custom', text: 'From … to …' },
];

/** Chooses a time span: a preset, or two instants in the time zone of the browser. */
export function SpanFields({
  initial,
  onSpan,
}: {
  readonly initial: SpanId;
  readonly onSpan: (span: Span) => void;
}) {
  const [id, setId] = useState<string>(initial);
  const [[from, to], setBounds] = useState<readonly [string, string]>(['', '']);
  const change = (bounds: readonly [string, string]): void => {
    setBounds(bounds);
    const span = spanBetween(...bounds);
    if (span !== undefined) onSpan(span);
  };
  const isWrong = from !== '' && to !== '' && spanBetween(from, to) === undefined;
  return (
    <>
      <Select
        label="Time"
        options={OPTIONS}
        value={id}
        onChange={({ target: { value } }) => {
          setId(value);
          if (value !== 'custom') onSpan(spanOf(value as SpanId, Date.now()));
        }}
      />
      {id === 'custom' && (
        <>
          <Field
            label="From"
            type="datetime-local"
            name="from"
            value={from}
            onChange={({ target }) => change([target.value, to])}
          />
          <Field
            label="To"
            type="datetime-local"
            name="to"
            value={to}
            problem={isWrong ? 'The end must be after the start.' : undefined}
            onChange={({ target }) => change([from, target.value])}
          />
        </>
      )}
    </>
  );
}
