package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
)

func (m *sankeyPanel) Draw(c canvas.Canvas) { m.chart().Draw(c) }

// chart returns the chart of the bars and the ribbons between them. On a phone, names that do not fit beside the bars are over them.
func (m *sankeyPanel) chart() *chart.Chart {
	h, flows := m.flowChart(false)
	if flows.CutsNames(h.Y.Rows.Margin, h.Y.Rows.Right) {
		h.Phone, _ = m.flowChart(true)
	}
	return h
}

// flowChart returns the chart with the names beside the bars or, with over, over them.
func (m *sankeyPanel) flowChart(over bool) (*chart.Chart, *chart.Flows) {
	h := m.newChart(dashboard.Column{})
	flows := &chart.Flows{Steps: m.steps, Fixed: m.fixed, Over: over}
	ways := m.Ways()
	link := func(at, cell int) (int, int) {
		if at < 0 {
			return 0, 0
		}
		return row(at, ways.Of(m.Grid.Columns[cell].Mark(m.Grid.Rows[at][cell]))), cell
	}
	var amounts []float64
	for i := range m.nodes {
		amounts = append(amounts, m.nodes[i].amount)
	}
	write := m.Env.Cells(m.col, amounts)
	for i := range m.nodes {
		n := &m.nodes[i]
		node := chart.Node{
			Step: n.step, Name: m.name(n), Value: write(n.amount), Color: n.color, Title: m.nodeTitle(n), Amount: n.amount,
		}
		node.Row, node.Cell = link(n.row, n.cell)
		flows.Nodes = append(flows.Nodes, node)
	}
	for i := range m.flows {
		f := &m.flows[i]
		mark := chart.Flow{Flow: f.Flow, Color: f.color, Title: m.flowTitle(f)}
		mark.Row, mark.Cell = link(f.row, f.cell)
		flows.Flows = append(flows.Flows, mark)
	}
	for i := range flows.Flows {
		flows.Back = flows.Back || flows.LeadsBack(i)
	}
	rows := &chart.RowAxis{}
	if h.Flush = over; !over {
		rows.Margin, rows.Right = flows.Margins(min(0.22*m.inside(), canvas.Margins[len(canvas.Margins)-1]-chart.NodeAside))
	}
	h.Y.Rows = rows
	h.Height = flows.Height()
	if !m.ends {
		h.X.Labels = func(width float64) []chart.Label {
			names := make([]string, m.steps)
			for step, c := range m.cols {
				names[step] = c.Label
			}
			return flows.Heads(names, width, rows)
		}
	}
	h.Sketch = canvas.Desktop
	h.Under = []chart.Layer{flows}
	return h, flows
}

// nodeTitle returns the tooltip of a bar, in pieces.
func (m *sankeyPanel) nodeTitle(n *sankeyNode) []string {
	out := []string{canvas.Clip(m.name(n), 60), "\n", m.Env.Quantity(m.col, n.amount)}
	if !m.ends {
		out = append(out, " · ", m.Env.Share(n.amount/m.total, 1))
	}
	if n.in > 0 && n.out > 0 && n.in != n.out {
		out = append(out, "\n", m.Env.Text("Incoming"), "  ", m.Env.Quantity(m.col, n.in),
			"\n", m.Env.Text("Outgoing"), "  ", m.Env.Quantity(m.col, n.out))
	}
	return out
}

// flowTitle returns the tooltip of a ribbon, in pieces.
func (m *sankeyPanel) flowTitle(f *sankeyFlow) []string {
	from, to := &m.nodes[f.From], &m.nodes[f.To]
	out := []string{canvas.Clip(m.name(from), 60), " → ", canvas.Clip(m.name(to), 60), "\n"}
	if !m.ends && from.step > 0 {
		out = append(out, m.cols[0].Label, "  ", canvas.Clip(m.name(&m.nodes[f.Class]), 60), "\n")
	}
	out = append(out, m.Env.Quantity(m.col, f.Value))
	if !m.ends {
		out = append(out, " · ", m.Env.Share(f.Value/m.total, 1))
	}
	return out
}
