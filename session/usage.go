package session

// Usage is what a model's replies have cost.
type Usage struct {
	Input  int64   `json:"input,omitzero"`  // tokens read, Cached included
	Cached int64   `json:"cached,omitzero"` // of Input: what the provider had read before
	Output int64   `json:"output,omitzero"` // tokens written
	Cost   float64 `json:"cost,omitzero"`   // by the prices in agents.yaml, in their currency
}

// Plus is both together.
func (u Usage) Plus(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Output: u.Output + v.Output, Cost: u.Cost + v.Cost}
}
