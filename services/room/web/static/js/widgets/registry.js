/**
 * One widget for each generic shape of choice. A test holds this list against the shapes that the rules can offer:
 * a new card needs no new widget.
 */
import { Fields, Variant } from './compound.js';
import { Amounts, Transfer } from './forces.js';
import { ManyOf, NumberOf, OneOf, TextOf } from './simple.js';

export const WIDGETS = {
  one_of: OneOf,
  number: NumberOf,
  many_of: ManyOf,
  amounts: Amounts,
  transfer: Transfer,
  text: TextOf,
  fields: Fields,
  variant: Variant,
};
