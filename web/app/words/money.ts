/** An amount of US dollars, with two decimals. Smaller amounts show up to six, so that they don't read as free. */
export function usd(amount: number, locale?: string): string {
  const isTiny = amount !== 0 && Math.abs(amount) < 0.01
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: isTiny ? 6 : 2,
  }).format(amount)
}

/** A count with the separators of the reader's locale. */
export function numberText(value: number, locale?: string): string {
  return new Intl.NumberFormat(locale).format(value)
}

/** `1 action`, `2 actions`. */
export function counted(value: number, one: string, many = `${one}s`, locale?: string): string {
  return `${numberText(value, locale)} ${value === 1 ? one : many}`
}

/** A score between 0 and 1. */
export function score(value: number): string {
  return value.toFixed(2)
}
