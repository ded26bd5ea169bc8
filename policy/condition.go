package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Limits on conditions: a rule must not be what makes a call slow.
const (
	maxConditionLength = 4096
	maxConditionCost   = 100_000
)

// condition is a CEL expression that is true or false.
type condition struct {
	program cel.Program
	names   []string  // the arguments that it mentions
	paths   []argPath // to what it mentions in them
	all     bool      // it may look at any argument
}

// conditionEnv is what conditions can speak about.
func conditionEnv() (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable("tool", cel.StringType),
		cel.Variable("args", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("agent", cel.StringType),
		cel.Variable("session", cel.StringType),
		cel.Variable("workingDirectory", cel.StringType),
		cel.Variable("now", cel.TimestampType),
		cel.ParserExpressionSizeLimit(maxConditionLength),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals()),
	)
}

func compileCondition(text string) (*condition, error) {
	if len(text) > maxConditionLength {
		return nil, fmt.Errorf("longer than %d characters: split the rule", maxConditionLength)
	}
	env, err := conditionEnv()
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, explained(issues)
	}
	if !checked.OutputType().IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("want true or false, this is %s: compare it, such as args.force == true", checked.OutputType())
	}
	if always, ok := constant(env, checked); ok {
		return nil, fmt.Errorf("this is always %t, whatever the call: leave when out, or compare something of the call", always)
	}
	program, err := env.Program(checked, cel.CostLimit(maxConditionCost), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, err
	}
	c := &condition{program: program}
	c.readNames(checked.NativeRep().Expr())
	return c, nil
}

// explained is what is wrong with an expression, on one line, with the
// variables that there are.
func explained(issues *cel.Issues) error {
	var texts []string
	for _, e := range issues.Errors() {
		text := fmt.Sprintf("column %d: %s", e.Location.Column()+1, strings.Join(strings.Fields(e.Message), " "))
		if strings.Contains(text, "undeclared reference") {
			text += "; there are tool, args, agent, session, workingDirectory and now"
		}
		texts = append(texts, text)
	}
	if len(texts) > 3 {
		texts = texts[:3]
	}
	return errors.New(strings.Join(texts, "; "))
}

// readNames finds out which arguments the expression looks at.
func (c *condition) readNames(root ast.Expr) {
	mentions, named := 0, 0
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if isArgs(e) {
			mentions++
		}
		if path, ok := argsPath(e); ok && len(path) > 0 {
			c.paths = append(c.paths, path)
		}
		if name, ok := argsMember(e); ok {
			named++
			if !slices.Contains(c.names, name) {
				c.names = append(c.names, name)
			}
		}
	}))
	c.all = mentions != named
}

// constant reports whether an expression has the same value for every call.
func constant(env *cel.Env, checked *cel.Ast) (always, is bool) {
	folding, err := cel.NewConstantFoldingOptimizer()
	if err != nil {
		return false, false
	}
	optimizer, err := cel.NewStaticOptimizer(folding)
	if err != nil {
		return false, false
	}
	folded, issues := optimizer.Optimize(env, checked)
	if issues.Err() != nil || folded.NativeRep().Expr().Kind() != ast.LiteralKind {
		return false, false
	}
	always, is = folded.NativeRep().Expr().AsLiteral().Value().(bool)
	return always, is
}

// argsPath is where an expression leads in the arguments: args.a["b"][0], and
// "a" in args.
func argsPath(e ast.Expr) (argPath, bool) {
	if isArgs(e) {
		return nil, true
	}
	if name, ok := argsMember(e); ok {
		return argPath{name}, true
	}
	switch {
	case e.Kind() == ast.SelectKind:
		path, ok := argsPath(e.AsSelect().Operand())
		return append(slices.Clip(path), e.AsSelect().FieldName()), ok
	case e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Index || len(e.AsCall().Args()) != 2:
		return nil, false
	}
	path, ok := argsPath(e.AsCall().Args()[0])
	at := e.AsCall().Args()[1]
	if !ok || at.Kind() != ast.LiteralKind {
		return nil, false
	}
	return append(slices.Clip(path), fmt.Sprint(at.AsLiteral().Value())), true
}

func isArgs(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == "args" }

// argsMember is the name in args.name, args["name"] and "name" in args.
func argsMember(e ast.Expr) (string, bool) {
	if e.Kind() == ast.SelectKind && isArgs(e.AsSelect().Operand()) {
		return e.AsSelect().FieldName(), true
	}
	if e.Kind() != ast.CallKind || len(e.AsCall().Args()) != 2 {
		return "", false
	}
	operands := e.AsCall().Args()
	switch e.AsCall().FunctionName() {
	case operators.In:
		operands = []ast.Expr{operands[1], operands[0]}
	case operators.Index:
	default:
		return "", false
	}
	if !isArgs(operands[0]) || operands[1].Kind() != ast.LiteralKind {
		return "", false
	}
	name, ok := operands[1].AsLiteral().Value().(string)
	return name, ok
}

// mentions reports whether the expression may look at an argument.
func (c *condition) mentions(name string) bool { return c.all || slices.Contains(c.names, name) }

// holds evaluates the condition. An error is for what can't be told, such as an
// argument that is not there.
func (c *condition) holds(of *call) (bool, error) {
	out, _, err := c.program.Eval(of.variables())
	if err != nil {
		return false, err
	}
	yes, ok := out.Value().(bool)
	if !ok {
		return false, errors.New("neither true nor false")
	}
	return yes, nil
}

// variables are what a condition can look at.
func (c *call) variables() map[string]any {
	if c.vars == nil {
		c.vars = map[string]any{
			"tool": c.Request.ToolName, "args": c.args, "agent": c.Request.AgentID, "session": c.Request.SessionID,
			"workingDirectory": c.directory, "now": c.now.UTC().Truncate(time.Microsecond),
		}
	}
	return c.vars
}
